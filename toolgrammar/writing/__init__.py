"""Writes calls in the wire text of a format."""

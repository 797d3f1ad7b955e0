"""Implements the command line; the only code that reads stdin and prints."""

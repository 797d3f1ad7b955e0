"""Calls in the shapes of other interfaces, there and back."""

"""Reads what is damaged, where a whole text and not a message is at hand."""

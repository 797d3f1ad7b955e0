"""Formats as the world sees them: the mapping of all of them, and their pages."""

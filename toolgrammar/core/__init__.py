"""Text in, roles out: the exact language of one grammar, read as it arrives."""

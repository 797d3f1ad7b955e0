"""Reads messages: whole (`parse`), pushed in chunks (`Parser`), or from a stream.

Begin with `parser`; `whole` is the shortcut for a text that is there at once, `streams` reads
iterables, `detection` guesses the format. The reading itself is in `core`.
"""

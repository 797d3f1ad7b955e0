"""Reads payloads: turns the characters of a call's arguments into values.

In: a declared terminal and text, in chunks. Out: the end of the payload and its value as JSON text.
Begin with `scanners.py`, which chooses the reader. `json/` reads sound JSON, `mended/` damaged
JSON, `literals/` Python, bare words and elements, `raw/` text that only a closer ends.
"""

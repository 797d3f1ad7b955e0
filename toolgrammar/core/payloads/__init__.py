"""Readers of payloads: from the characters of arguments to values.

`json/` reads JSON that is sound, `mended/` JSON that is damaged, `literals/` Python, bare words and
elements, `raw/` text that only a closer ends.
"""

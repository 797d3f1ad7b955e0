"""Chooses among several formats for one text: decides in which of them each call is written.

In: a text and formats in the order in which they are preferred (`SeveralFormats` of
`parsing/readers.py`). Out: the reading of the format whose opener stands first and whose call is most
plainly one; if nothing else decides, the order does. Begin with `try_formats.py`; docs/detection.md has the rules.

May import the rest of `core` and what it may import.
"""

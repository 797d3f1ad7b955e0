"""Several formats in one text: which of them a call is written in.

In: a text and formats, as `format="auto"` gives them. Out: what the one reads whose opener stands
first and whose call is most plainly one. Begin with `try_formats.py`.
"""

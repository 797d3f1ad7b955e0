"""Several formats in one text: which of them a call is written in.

In: a text and formats in an order, which the caller or, for `auto`, `parsing/readers.py` gives them.
Out: what the one reads whose opener stands first and whose call is most plainly one; where nothing
else tells, the order does. Begin with `try_formats.py`; docs/detection.md says what counts.
"""

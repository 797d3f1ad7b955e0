"""Judges calls: which are doubted, which were lost, and what is said of them.

In: a finished call and where it stood. Out: a doubt or a diagnostic, as docs/trust.md defines them.
Example: a call in a block of code, as an example, is doubted by `standing.py`, a mended one whose key
is `{city` by the table of rules in `mended_calls.py`.

May import `core.message` and what it may import.
"""

"""Judges calls: decides which are doubted and which were lost, and reports both.

In: a finished call and the text around it. Out: a doubt or a diagnostic, as docs/trust.md defines
them. Examples: `quoted_calls.py` doubts a call in a block of code with prose around it,
`mended_calls.py` a mended call with the key `{city`. Begin with these two; `unread.py` reports the
calls that were lost.

May import `core.message` and what it may import.
"""

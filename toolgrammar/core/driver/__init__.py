"""The modes of the driver: what it reads in text, in an envelope, in a payload, at the end.

In: chunks of text, pushed through a `Driver` that `modes.new_driver` makes. Out: roles and text, handed to
the builder of the message. A module for each thing that it can stand in: text (`reading_text.py`), the
tokens of an envelope (`reading_tokens.py`), payloads (`reading_payloads.py`, `undecided.py`, `raw/`), what
does not fit (`mismatch.py`), the end of the text (`ending.py`). The state that they share, and the loop,
are in `core/state/driver.py`: begin there.

May import `core.mending`, `core.state` and what these may import.
"""

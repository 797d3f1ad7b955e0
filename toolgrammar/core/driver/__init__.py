"""Reads a message in modes: text, the tokens of an envelope, payloads, and the end of the text.

In: chunks of text, fed to a `Driver` that `modes.new_driver` makes. Out: roles and text, passed to
the builder of the message. There is a module for each mode and for each way out of it: text
(`reading_text.py`), the tokens of an envelope (`reading_tokens.py`), payloads
(`payload_beginnings.py`, `reading_payloads.py`, `raw/`), text that does not fit (`mismatch.py`), the end of
the text (`ending.py`). The state that they share, and the loop, are in `core/state/driver.py`:
begin there.

May import `core.mending`, `core.state` and what these may import.
"""

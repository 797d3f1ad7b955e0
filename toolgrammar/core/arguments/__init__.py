"""Reads the arguments of a call: keys, values, and payloads.

In: text from a scanner or a raw payload, with the role that it fills. Out: arguments of the open
call and their deltas. Begin with `raw_values.py`, then `scanned_values.py`;
`json_payload.py` reads JSON, and `markup.py` finds where the markup around it goes on.

May import `core.calls` and what it may import.
"""

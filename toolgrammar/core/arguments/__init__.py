"""Reads the arguments of a call: keys, values, and payloads.

In: text from a scanner or a raw payload, with the role that it fills. Out: arguments of the open
call and their deltas. Begin with `filling.py`, then `raw_values.py` and `scanned_values.py`;
`json_payload.py` reads JSON, `markup.py` finds where the markup around it goes on, and `reports.py`
emits pieces and reports doubts.

May import `core.calls` and what it may import.
"""

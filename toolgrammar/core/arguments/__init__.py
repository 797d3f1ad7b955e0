"""What is read between the name of a call and its end: values, keys, payloads.

In: text that a scanner or a raw payload gives, with the role that it fills. Out: arguments of the open
call and their deltas. Begin with `filling.py`, then `raw_values.py` and `scanned_values.py`;
`json_payload.py` reads JSON, and `markup.py` says where the markup around it goes on.

May import `core.calls` and what it may import.
"""

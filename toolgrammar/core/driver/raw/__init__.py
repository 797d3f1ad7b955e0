"""Reads raw payloads, whose text has no escapes, up to the closer that ends them.

In: chunks of a raw value, and its possible ends from `core.payloads.raw`. Out: the value, emitted
as far as it is certain, and the place after it. Begin with `reader.py`; the state between two
chunks is in `state.py`, the end of a value in `leaving.py`, the doubts about it in
`value_doubts.py`.

May import `core.driver.payload_end` and `core.driver.mismatch`, `core.mending` and what it may import.
"""

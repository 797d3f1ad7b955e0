"""Reads a payload that is text as it stands, up to the closer that ends it.

In: chunks of a raw value, and what `core.payloads.raw` knows of its end. Out: the value, given out as far
as it is sure, and the place behind it. Begin with `reader.py`; what is known between two chunks is in
`state.py`, how a value is left in `leaving.py`.

May import `core.driver.payload_end` and `core.driver.mismatch`, `core.mending` and what it may import.
"""

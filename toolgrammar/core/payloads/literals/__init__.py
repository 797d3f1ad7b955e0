"""Values that are not JSON: Python's notation, bare words, and XML elements.

In: `city='Oslo', n=None`. Out: the same as JSON text, read as it arrives. Each notation has a module
that says what there is of it: `python.py`, `bare.py`, `elements.py`. Its scanner is behind that:
`scan_python.py`, `scan_bare.py`, `scan_elements.py`. A scanner holds no text: what is not decided it
leaves, and is fed again with what follows.
To add one, begin in `grammar/payload_kinds.py`, the one table of payloads.

May import `payloads/json`, `core.machine`, `grammar`, `patterns`, `tools` and `values`.
"""

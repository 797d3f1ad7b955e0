"""Reads values that are not JSON: Python's notation, bare words, and XML elements.

In: `city='Oslo', n=None`. Out: its value as JSON text, read as it arrives. Each notation has a
module with its scanner, its writer and its rules: `python.py`, `bare.py`, `elements.py`. The longer
two scanners have modules of their own, `scan_python.py` and `scan_bare.py`. A scanner does not
consume undecided text: it is fed again, with the text after it. Only words, whose length has no
bound, and values that a later character may change are stored. To add a notation, begin in
`grammar/payload_kinds.py`, the table of all payloads.

May import `payloads/json`, `core.machine`, `grammar`, `patterns`, `tools` and `values`.
"""

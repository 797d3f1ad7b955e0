"""Reads values that are not JSON: Python's notation, bare words, and XML elements.

In: `city='Oslo', n=None`. Out: its value as JSON text, read as it arrives. Each notation has a
module with its scanner, its writer and its rules: `python.py`, `bare.py`, `elements.py`. The
scanners are in `scan_python.py`, `scan_bare.py`, `scan_elements.py`. A scanner stores no text:
undecided text is not consumed, and is fed again with the text after it. To add a notation, begin in
`grammar/payload_kinds.py`, the table of all payloads.

May import `payloads/json`, `core.machine`, `grammar`, `patterns`, `tools` and `values`.
"""

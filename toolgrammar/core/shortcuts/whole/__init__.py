"""Reads sound whole texts: tokens and payloads in turn, without a state between chunks.

In: a complete text. Out: its message, or nothing if the driver has to read it. Begin with
`whole_reader.py`.
"""

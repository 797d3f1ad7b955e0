"""What a text tells of calls, whatever reads it: signs, names of tools, markup that is used or named.

In: a text, the signs of a format, the known tools. Out: whether a call may be written there, and where.
Begin with `signs.py`.

May import `grammar`, `patterns`, `tools` and `values`.
"""

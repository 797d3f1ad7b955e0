"""Finds evidence of calls in a text: their signs, names of tools, markup that is used, not just named.

In: a text, the signs of a format, the known tools. Out: whether and where the text may contain a call.
Begin with `signs.py`.

May import `grammar`, `patterns`, `tools` and `values`.
"""

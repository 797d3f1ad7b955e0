"""Finds evidence of calls in a text: signs of calls, names of tools, markup in use.

In: a text, the signs of a format, the known tools. Out: whether and where the text may contain a call.
Begin with `signs.py`.

May import `grammar`, `patterns`, `tools` and `values`.
"""

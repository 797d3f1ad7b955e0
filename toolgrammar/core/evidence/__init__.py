"""Finds evidence of calls in a text: their signs, names of tools, markup that is used, not just named.

Input: a text, the signs of a format, the known tools. Output: whether and where the text may contain a
call. Start with `signs.py`.

May import `grammar`, `patterns`, `tools` and `values`.
"""

r"""Analyses regular expressions: their beginnings, their bounds, and how to search for them.

In: the expression of a terminal, as `/[a-z_]+\(/`. Out: the beginnings of its matches (may more
text complete `get_w`?), its first characters, its bounds, and searches for several expressions at
once. Begin with `partial.py`. May import `values`.
"""

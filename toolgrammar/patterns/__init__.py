r"""Regular expressions as data: what they begin with, how long they get, what may still match.

In: the expression of a terminal, as `/[a-z_]+\(/`. Out: the beginnings of its matches (is `get_w`
one that more text may complete?), its first characters, its bounds, and searches for several
expressions at once. Begin with `partial.py`. May import `values`.
"""

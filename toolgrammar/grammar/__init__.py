"""Turns a grammar file into tables: everything that the core needs to know about one format.

In: a file of `grammars/`, with its header and its rules. Out: `Tables`, plain data of terminals and
productions, which a wheel stores as JSON. Begin with `header.py`, `roles.py`, then `terminals.py`
and `tables.py`. `stored.py` finds the tables of a grammar; `compiling/` makes them, with Lark.

May import `patterns`, `tools` and `values`.
"""

"""A grammar file in, tables out: what the core needs to know of one format.

In: a file of `grammars/`, its header and its rules. Out: `Tables`, plain data of terminals and
productions that is stored as JSON in a wheel. Begin with `header.py`, `roles.py`, then `terminals.py`
and `tables.py`. `stored.py` finds the tables of a grammar; `compiling/` makes them, with Lark.

May import `patterns`, `tools` and `values`.
"""

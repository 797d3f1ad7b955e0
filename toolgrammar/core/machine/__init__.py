"""The tables of a format as nodes and steps, which the driver follows.

In: `Tables` and the names of the known tools. Out: a `Machine`: for each place in a message which
tokens may come next, how each is searched for, and what it does. Begin with `machine.py`; `lalr.py`
follows the tables, `expressions.py` writes terminals as regular expressions. What else can be known of
a node is a function of it, which remembers its answers (`kept.py`): `repairs.py`, `next_calls.py`.

May import `core.evidence`, `grammar`, `patterns`, `tools` and `values`.
"""

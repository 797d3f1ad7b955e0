"""Turns the tables of a format into nodes and steps, which the driver follows.

In: `Tables` and the names of the known tools. Out: a `Machine`, with a node for each place in a
message: the tokens that may come next, the expression that matches them, and the step of each.
Begin with `machine.py`; `lalr.py` follows the tables, `expressions.py` writes terminals as regular
expressions. Other facts about a node are functions of it with a cache (`caches.py`), as in
`repairs.py`, `next_calls.py`.

May import `core.evidence`, `grammar`, `patterns`, `tools` and `values`.
"""

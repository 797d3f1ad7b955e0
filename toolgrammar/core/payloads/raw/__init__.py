"""Payloads that are text as it stands: where they end, and what references to characters mean.

Example: `<parameter=code>print("</parameter>")</parameter>`: the first closer stands in the value,
as no markup follows it; the second one ends it.

In: a node of the machine and a text. Out: the place of the closer that ends the payload, told from
those of calls that are quoted in it. Begin with `raw_end.py`.

May import `core.machine`, `grammar`, `patterns` and `values`.
"""

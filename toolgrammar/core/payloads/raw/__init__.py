"""Reads payloads that are raw text: finds where they end, and decodes character references.

Example: `<parameter=code>print("</parameter>")</parameter>`: the first closer is part of the value,
as no markup follows it; the second one ends it.

In: a node of the machine and a text. Out: the place of the closer that ends the payload, as opposed
to the closers of calls that the payload quotes. Begin with `raw_end.py`.

May import `core.machine`, `grammar`, `patterns` and `values`.
"""

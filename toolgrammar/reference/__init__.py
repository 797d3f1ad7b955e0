"""Plain Lark's reading of a whole text: the oracle that the tests hold the core to.

In: a grammar and a sound text. Out: the same calls as the core gives, by Lark's parse tree and a
transformer (`tree_calls.py`). It repairs nothing and reads no streams. Begin with `reference.py`.
May import all of `core`, which never imports it.
"""

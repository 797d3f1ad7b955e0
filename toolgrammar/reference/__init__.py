"""Reads a whole text with plain Lark: the oracle against which the tests check the core.

In: a grammar and a sound text. Out: the calls that the core returns, too, from Lark's parse tree
and a transformer (`tree_feed.py`). It repairs nothing and reads no streams. Begin with
`reference.py`. May import all of `core`, which never imports it.
"""

"""Compiles a grammar file into tables, and explains its errors to its author.

In: a `.lark` file with its header. Out: `Tables`, or a `GrammarError` at a line and column. Begin
with `compile.py`, the only module that imports Lark at run time (the reference reader apart), so
nothing but `grammar/stored.py` and the command `check` imports this package, and only
when they need it. Advice for authors is written in `lint.py`, errors in `author_errors.py`.

May import the other modules of `grammar`, but not `stored`, and what those may import.
"""

"""The shortcut for whole texts: a call's sound tokens, fused into one regular expression.

In: a text that is there as a whole. Out: its message, or nothing where the driver has to read it.
Begin with `whole_reader.py`.
"""

"""The shortcut for whole texts: tokens and payloads in turn, without a state for each part.

In: a text that is there as a whole. Out: its message, or nothing where the driver has to read it.
Begin with `whole_reader.py`.
"""

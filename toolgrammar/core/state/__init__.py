"""Holds the state of reading a message: the position in the text, the open island, the mode.

In: chunks of text, a `Machine`, a `Builder`. Out: the state that the modes of the driver, its repairs and
the shortcuts read and change, and the loop that runs the modes. Begin with `driver.py`.

May import `core.arguments` and what it may import.
"""

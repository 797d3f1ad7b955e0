"""Implements the command line; the only code that reads standard input and prints.

In: the arguments of a command, `parse answer.txt --json`. Out: its text on standard
output, and an exit status. Begin with `main.py`; each command is a module, `input.py` and
`output.py` are shared.
"""

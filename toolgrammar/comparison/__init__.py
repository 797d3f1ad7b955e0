"""Compares formats over the same messages: their cost, and their robustness to errors and cuts.

In: formats, messages (drawn from a seed, or a caller's), tokenizers. Out: a `Comparison`, with a
figure and its 95 % interval for each question, and `answers`, sentences that hold where the intervals
say so. Begin at `runs.py`: it writes the messages in all formats (`carried.py`) and measures each
(`costs.py`, `robustness.py`, `cuts.py`, `confusion.py`, `speed.py`), each format in a process of
`workers.py`. `damages.py` damages messages as models do; `figures.py` defines figures and ranks. Imports
the damage of the laws (`testing.small_damage`), the intervals of `scoring`, and the packages below.
"""

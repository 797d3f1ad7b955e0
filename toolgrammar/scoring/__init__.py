"""Scores logs: what share of a model's messages was read, repaired, cut, and right.

In: rows with a message and, in columns or for all of them, the format, the tools, the calls that
were right and labels. Out: a `ScoreReport`, with counts and intervals for each value of each label.
Begin with `logs.py`, which reads the rows; `message_scores.py` defines the counts of a message,
`tallies.py` adds them up, `intervals.py` has the intervals. May import all packages below it;
rows, processes and files are those of `bulk`.
"""

from __future__ import annotations

from toolgrammar.scoring.groups import Group, Rate
from toolgrammar.scoring.reports import ScoreReport

__all__ = ["Group", "Rate", "ScoreReport"]

"""Scores logs: what share of a model's messages was read, repaired, cut, and right.

In: rows with a message and, in columns or for all of them, the format, the tools, the calls that
were right and labels. Out: a `ScoreReport`, with counts and intervals for each value of each label.
Begin at `logs.py`, which runs over the rows; `message_scores.py` says what is counted of a message,
`tallies.py` adds that up, `intervals.py` has the intervals. It may import all packages below it;
rows, processes and files are those of `bulk`.
"""

from __future__ import annotations

from toolgrammar.scoring.groups import Group, Rate
from toolgrammar.scoring.reports import ScoreReport

__all__ = ["Group", "Rate", "ScoreReport"]

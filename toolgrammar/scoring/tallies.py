"""Adds up the lines of scored rows, for all rows and for each value of each label.

The line `{"labels": {"model": "a"}, "shares": {"parsed": [1, 1]}, …}` counts in two tallies: that of
all rows, and that of the model `a`.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from toolgrammar.scoring.intervals import Sums

if TYPE_CHECKING:
    from collections.abc import Iterable

ALL = ("", "")
"""The label and its value under which all rows are counted."""


@dataclass(slots=True)
class Tally:
    """The sums of some rows."""

    rows: int = 0
    """The rows with a message."""
    sums: dict[str, Sums] = field(default_factory=dict)
    """The sums of each measure."""
    codes: Counter[str] = field(default_factory=Counter)
    """The messages that have each code."""
    lost: Counter[str] = field(default_factory=Counter)
    """The messages in which something was lost by each code."""

    def add(self, line: dict[str, Any]) -> None:
        """Adds a row."""
        self.rows += 1
        for measure, (hits, of) in line["shares"].items():
            # A line has only the measures that apply, so a tally has those of its lines.
            self.sums.setdefault(measure, Sums()).add(hits, of)
        self.codes.update(line["codes"])
        self.lost.update(line["lost"])


@dataclass(slots=True)
class Tallies:
    """The tallies of a run."""

    by_label: dict[tuple[str, str], Tally] = field(default_factory=lambda: {ALL: Tally()})
    """By label and value, in the order in which they came."""
    bad: int = 0
    """The rows without a score."""

    def add(self, lines: Iterable[bytes]) -> None:
        """Adds the lines of scored rows."""
        for line in lines:
            row = json.loads(line)
            # A bad row was not read, so it belongs to no share; it is counted separately.
            if "bad" in row:
                self.bad += 1
                continue
            for place in (ALL, *row["labels"].items()):
                self.by_label.setdefault(place, Tally()).add(row)

"""Makes the report of a run from its tallies, and writes it.

The tallies of all rows and of the models `a` and `b` give three groups.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from toolgrammar.scoring.groups import Group, Rate, Scores
from toolgrammar.scoring.message_scores import MEASURES
from toolgrammar.scoring.pages import write_report
from toolgrammar.scoring.tallies import ALL

if TYPE_CHECKING:
    import os
    from collections import Counter

    from toolgrammar.bulk.runs.reports import BadRow
    from toolgrammar.scoring.tallies import Tallies, Tally


@dataclass(frozen=True, slots=True)
class ScoreReport(Scores):
    """The score of some logs."""

    def write(self, path: str | os.PathLike[str]) -> None:
        """Writes the report: `.json`, `.parquet`, `.md` or `.html`, by the name of the file.

        Raises:
            ValueError: the suffix of the name is unknown.
            ImportError: what the file needs is not installed; the message says what to install.
        """
        write_report(self, Path(path))


def report_of(
    tallies: Tallies, rows: int, bad_rows: tuple[BadRow, ...], missing: tuple[str, ...]
) -> ScoreReport:
    """Returns the report of some tallies."""
    groups = [_group(*place, tally) for place, tally in tallies.by_label.items() if place != ALL]
    labels = list(dict.fromkeys(group.label for group in groups))
    # Equally frequent values are sorted by name, so that reports of the same rows are equal.
    groups.sort(key=lambda each: (labels.index(each.label), -each.messages, each.value))
    everything = _group(*ALL, tallies.by_label[ALL])
    return ScoreReport((everything, *groups), rows, tallies.bad, bad_rows, missing)


def _group(label: str, value: str, tally: Tally) -> Group:
    rates = {name: Rate.of_sums(tally.sums[name]) for name in MEASURES if name in tally.sums}
    return Group(label, value, tally.rows, rates, _ordered(tally.codes), _ordered(tally.lost))


def _ordered(counts: Counter[str]) -> dict[str, int]:
    return dict(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])))

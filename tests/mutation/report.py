"""Keeps the verdicts of a sample in a file, and says what they come to."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from math import sqrt
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from tests.mutation.mutants import Mutant

DEVIATIONS = 1.96
"""Of a normal distribution, to both sides: 95 of 100 lie within."""


@dataclass(frozen=True)
class Verdict:
    """What became of a mutant."""

    path: str
    line: int
    number: int
    before: str
    after: str
    killed: bool
    how: str
    tests: int
    """How many tests can notice it, as far as they were run."""
    seconds: float

    def shown(self) -> str:
        """Returns the verdict as lines of a report."""
        word = "killed  " if self.killed else "SURVIVED"
        head = (
            f"{word} {self.path}:{self.line} ({self.how}, {self.tests} tests, {self.seconds:.1f} s)"
        )
        return head if self.killed else f"{head}\n  - {self.before}\n  + {self.after}"


class Report:
    """The verdicts of one sample."""

    def __init__(self, file: Path) -> None:
        self._file = file
        rows = json.loads(file.read_text(encoding="utf-8")) if file.is_file() else []
        self.verdicts = [Verdict(**row) for row in rows]

    def has(self, mutant: Mutant) -> bool:
        """Returns whether a mutant was judged before."""
        return any(_key(each) == _key(mutant) for each in self.verdicts)

    def add(self, verdict: Verdict) -> None:
        """Adds a verdict, or replaces an earlier one of the same mutant."""
        kept = [each for each in self.verdicts if _key(each) != _key(verdict)]
        self.verdicts = [*kept, verdict]
        rows = [asdict(each) for each in self.verdicts]
        self._file.write_text(json.dumps(rows, indent=1), encoding="utf-8")

    def survivors(self) -> list[Verdict]:
        """Returns what no test noticed."""
        return [each for each in self.verdicts if not each.killed]

    def summary(self) -> str:
        """Returns the survivors and the score with its interval."""
        count = len(self.verdicts)
        killed = count - len(self.survivors())
        low, high = interval(killed, count)
        shown = [each.shown() for each in sorted(self.survivors(), key=_key)]
        score = (
            f"{killed} of {count} mutants killed: {killed / max(count, 1):.1%} "
            f"(with 95 % certainty between {low:.1%} and {high:.1%})"
        )
        return "\n".join([*shown, score])


def interval(killed: int, count: int) -> tuple[float, float]:
    """Returns Wilson's interval of a share: 8 of 10 gives about (0.49, 0.94)."""
    if not count:
        return 0.0, 1.0
    share, square = killed / count, DEVIATIONS**2
    middle = share + square / (2 * count)
    reach = DEVIATIONS * sqrt(share * (1 - share) / count + square / (4 * count**2))
    return (middle - reach) / (1 + square / count), (middle + reach) / (1 + square / count)


def _key(one: Verdict | Mutant) -> tuple[str, int, int]:
    return one.path, one.line, one.number

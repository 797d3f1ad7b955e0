"""Holds a suite's figures against its goals, and says which of them hold."""

from __future__ import annotations

from typing import NamedTuple

from toolgrammar.cli.bench.report import markdown_table, number


class Goal(NamedTuple):
    """One goal and what was measured."""

    what: str
    measured: float | None
    wanted: float
    """The figure that the measured one may not pass."""
    at_least: bool = False
    """Whether the measured figure has to be as large as the wanted one, not as small."""

    @property
    def verdict(self) -> str:
        """Whether it holds; what was not measured is said to be so."""
        if self.measured is None:
            return "not measured"
        if self.at_least:
            return "holds" if self.measured >= self.wanted else "**missed**"
        return "holds" if self.measured <= self.wanted else "**missed**"


def goals_table(goals: list[Goal]) -> str:
    """Returns the goals as a table in Markdown."""
    rows = [
        [
            goal.what,
            number(goal.measured),
            f"{'≥' if goal.at_least else '≤'} {number(goal.wanted)}",
            goal.verdict,
        ]
        for goal in goals
    ]
    return markdown_table(["goal", "measured", "wanted", "verdict"], rows)

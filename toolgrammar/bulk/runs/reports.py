"""What a run over many messages says about itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

MOST_BAD_ROWS = 100
"""Bad rows that a report names; the others are counted."""


@dataclass(frozen=True, slots=True)
class BadRow:
    """A row in which no message could be found."""

    number: int
    """Its line in a file of lines, else its place among the rows; the first is 1."""
    reason: str
    """What is wrong with it."""


@dataclass(frozen=True, slots=True)
class BatchReport:
    """What a run that wrote a file has done, together with the runs that it went on from."""

    output: Path
    """The file that was written."""
    rows: int
    """The rows read, bad ones too; blank lines are none."""
    calls: int
    """The calls found."""
    failed: int
    """The rows whose result is not ok: an error diagnostic, or a bad row."""
    bad: int
    """The rows in which there was no message."""
    bad_rows: tuple[BadRow, ...]
    """The first of them."""
    resumed_rows: int
    """The rows that an earlier, interrupted run had read."""
    missing_columns: tuple[str, ...] = ()
    """The columns of formats and tools that were named and that no row has."""

    @property
    def ok(self) -> bool:
        """Whether every row has a result without errors."""
        return not self.failed

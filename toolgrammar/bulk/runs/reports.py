"""Defines the report of a run over many messages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

MOST_BAD_ROWS = 100
"""The number of bad rows that a report lists; the others are counted."""


@dataclass(frozen=True, slots=True)
class BadRow:
    """A row in which no message could be found."""

    number: int
    """Its line number in a file of lines, else its number among the rows, from 1."""
    reason: str
    """Why it has no message."""


@dataclass(frozen=True, slots=True)
class BatchReport:
    """The counts of a run that wrote a file, including the interrupted runs that it resumed."""

    output: Path
    """The file that was written."""
    rows: int
    """The rows read, including bad ones; blank lines are not rows."""
    calls: int
    """The calls found."""
    failed: int
    """The rows whose result is not ok: an error diagnostic, or a bad row."""
    bad: int
    """The rows without a message."""
    bad_rows: tuple[BadRow, ...]
    """The first of them."""
    resumed_rows: int
    """The rows that an earlier, interrupted run had read."""
    missing_columns: tuple[str, ...] = ()
    """The named columns that no row has; one of settings counts only where it has a value."""

    @property
    def ok(self) -> bool:
        """Whether every row has a result without errors."""
        return not self.failed

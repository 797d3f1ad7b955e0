"""Reads the rows of Hugging Face datasets in chunks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from toolgrammar.bulk.files.arrow_rows import rows_of
from toolgrammar.bulk.rows.row_fields import row_of_table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toolgrammar.bulk.rows.chunk_work import Chunk
    from toolgrammar.bulk.rows.parse_options import Reading
    from toolgrammar.bulk.rows.row_fields import Row

# More than for Python rows, since Arrow rows are cheap to send to a process.
_CHUNK_ROWS = 2000


@dataclass(frozen=True, slots=True)
class TableRows:
    """Some rows of an Arrow table, which are sent to a process without becoming Python objects."""

    table: Any
    """The rows, with the wanted columns."""
    first: int
    """The number of the first."""

    @property
    def last(self) -> int:
        """The number of the last."""
        return self.first + int(self.table.num_rows) - 1

    @property
    def end(self) -> int:
        """The number of rows up to here."""
        return self.last

    def rows(self, reading: Reading) -> Iterator[Row]:
        """Returns the rows."""
        for number, row in enumerate(rows_of(self.table), self.first):
            yield row_of_table(number, row, reading.column, reading.wanted)


class Dataset:
    """A dataset with a known number of rows."""

    def __init__(self, dataset: Any) -> None:
        self.dataset = dataset
        self.total: int | None = dataset.num_rows

    def chunks(self, reading: Reading, start: int, before: int) -> Iterator[Chunk]:
        """Yields chunks with a fixed number of rows."""
        assert self.total is not None
        # Only the needed columns, since decoding others (such as images) is slow.
        names = [name for name in self.dataset.column_names if name in reading.needed]
        table = self.dataset.select_columns(names).with_format("arrow")
        for place in range(start, self.total, _CHUNK_ROWS):
            rows = table[place : min(place + _CHUNK_ROWS, self.total)]
            # `take` copies: a slice would be pickled with the whole table.
            # Without columns there is nothing to take; each row then reports the missing column.
            yield TableRows(rows.take(list(range(rows.num_rows))) if names else rows, place + 1)

    def fingerprint(self) -> str | None:
        """Returns the fingerprint that the library keeps for the dataset."""
        return str(self.dataset._fingerprint)  # noqa: SLF001 - the library has no other name for it

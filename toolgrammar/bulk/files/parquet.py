"""Reads the rows of Parquet files, and writes results as Parquet."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING, Any

from toolgrammar.bulk.files.arrow_rows import rows_of
from toolgrammar.bulk.rows.fingerprints import fingerprint_of
from toolgrammar.bulk.rows.flat_result import parsed_of, parsed_type
from toolgrammar.bulk.rows.result_lines import plain_json
from toolgrammar.bulk.rows.row_fields import row_of_table
from toolgrammar.values.calls import ParseResult
from toolgrammar.values.errors import check_extra
from toolgrammar.values.plain import sound

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from toolgrammar.bulk.rows.chunk_work import Chunk
    from toolgrammar.bulk.rows.parse_options import Reading
    from toolgrammar.bulk.rows.row_fields import Row

# Row groups may be huge, so they are read in pieces.
_CHUNK_ROWS = 2000
_WRITTEN_ROWS = 10_000


def require_extra() -> None:
    """Checks that pyarrow is installed.

    Raises:
        ImportError: it is not; the message has the command to install it.
    """
    check_extra("pyarrow", "Parquet needs pyarrow", "bulk")


@dataclass(frozen=True, slots=True)
class GroupRows:
    """Some rows of one row group."""

    path: Path
    """The file."""
    group: int
    """The row group."""
    start: int
    """The index of the first row in the group."""
    count: int
    """The number of rows."""
    first: int
    """The first row's number in the file."""

    @property
    def last(self) -> int:
        """The number of the last."""
        return self.first + self.count - 1

    @property
    def end(self) -> int:
        """The number of rows up to here."""
        return self.last

    def rows(self, reading: Reading) -> Iterator[Row]:
        """Returns the rows; only the columns that are wanted are read."""
        table = _group(self.path, self.group, reading.needed).slice(self.start, self.count)
        for number, row in enumerate(rows_of(table), self.first):
            yield row_of_table(number, row, reading.column, reading.wanted)


# Cached in each process, since reading the footer of a large file is slow.
@lru_cache(1)
def _file(path: Path) -> Any:
    import pyarrow.parquet

    return pyarrow.parquet.ParquetFile(path)


_latest: list[tuple[Any, Any]] = []
"""The row group that this process read last, since its chunks come one after the other."""


def _group(path: Path, group: int, columns: tuple[str, ...]) -> Any:
    key = (path, group, columns)
    if not _latest or _latest[0][0] != key:
        file = _file(path)
        # A missing column is not an error of the file: each row says that it lacks it.
        there = [name for name in columns if name in file.schema_arrow.names]
        _latest[:] = [(key, file.read_row_group(group, columns=there))]
    return _latest[0][1]


class ParquetFile:
    """A Parquet file."""

    def __init__(self, path: Path) -> None:
        """Reads the footer of the file.

        Raises:
            ImportError: pyarrow is not installed.
            ValueError: the file is not a Parquet file.
            OSError: it can't be opened.
        """
        require_extra()
        import pyarrow.parquet

        self.path = path.absolute()
        try:
            file = pyarrow.parquet.ParquetFile(self.path)
        except pyarrow.ArrowException as error:
            raise ValueError(f"{path} can't be read as Parquet: {error}") from error
        with file:
            about = file.metadata
            self.sizes = [about.row_group(place).num_rows for place in range(about.num_row_groups)]
        self.total: int | None = sum(self.sizes)

    def chunks(self, reading: Reading, start: int, before: int) -> Iterator[Chunk]:
        """Yields the pieces of each row group."""
        # For one run only: since the last one the file may have been written anew. Processes of a
        # pool live as long as their run.
        _file.cache_clear()
        _latest.clear()
        above = 0
        # `start` counts rows in the whole file, a place those in its group.
        for group, size in enumerate(self.sizes):
            place = max(0, start - above)
            while place < size:
                count = min(_CHUNK_ROWS, size - place)
                yield GroupRows(self.path, group, place, count, above + place + 1)
                place += count
            above += size

    def fingerprint(self) -> str | None:
        """Returns the fingerprint of the file: see `fingerprint_of`."""
        return fingerprint_of(self.path)


def to_parquet(lines: Path, output: Path, *, keeps: bool) -> None:
    """Writes lines of results as a Parquet file, some rows at a time.

    Args:
        lines: the result of `ParseResult.to_dict` for each row, as JSON.
        output: the file; its columns are the keys of a line.
        keeps: whether lines have kept columns under `row`; they are written as JSON text.
    """
    import pyarrow as pa
    import pyarrow.parquet

    text = pa.string()
    fields = [("schema", pa.int64()), *parsed_type(), ("source", text), ("digest", text)]
    shape = pa.schema([*fields, ("row", text)] if keeps else fields)
    with lines.open("rb") as file, pyarrow.parquet.ParquetWriter(output, shape) as writer:
        while taken := list(islice(file, _WRITTEN_ROWS)):
            rows = [_flat(json.loads(line)) for line in taken]
            writer.write_table(pa.Table.from_pylist(rows, schema=shape))


def _flat(data: dict[str, Any]) -> dict[str, Any]:
    result = ParseResult.from_dict(data)
    return {
        "schema": data["schema"],
        **parsed_of(result),
        "source": sound(result.source),
        "digest": result.digest,
        "row": plain_json(data["row"]).decode() if "row" in data else None,
    }

"""Cuts the input of a run into chunks: files of lines, Parquet files, datasets, any iterable.

A chunk of a file has only its position, and the process that works on it reads the file. Other rows
are stored in their chunk.
"""

from __future__ import annotations

import gzip
import os
from collections.abc import Iterable, Mapping, Sized
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from toolgrammar.bulk.rows.fingerprints import fingerprint_of
from toolgrammar.bulk.rows.packed import unpacking
from toolgrammar.bulk.rows.row_fields import checked, row_of, rows_of_lines

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toolgrammar.bulk.rows.chunk_work import Chunk
    from toolgrammar.bulk.rows.parse_options import Reading
    from toolgrammar.bulk.rows.row_fields import Row

CHUNK_BYTES = 1 << 18
"""The size of a chunk in bytes: large enough to be worth sending, and fits in a CPU cache."""
_CHUNK_ROWS = 1000


class Source(Protocol):
    """The input of a run."""

    total: int | None
    """The total amount, in the unit of `Chunk.end`; None if it is not known."""

    def chunks(self, reading: Reading, start: int, before: int) -> Iterator[Chunk]:
        """Yields the chunks after a position.

        Args:
            reading: which columns are wanted.
            start: the place, as a chunk's `end`.
            before: the number of the last row or line before it.
        """

    def fingerprint(self) -> str | None:
        """Returns a text that is equal for runs on the same data; None if that is not known."""


def source_of(data: object) -> Source:
    """Returns the source for the input of a caller.

    Raises:
        TypeError: the input has the wrong type.
        ValueError: a file whose name ends in `.parquet` is not a Parquet file.
        FileNotFoundError: there is no such file.
    """
    if isinstance(data, str | os.PathLike):
        path = Path(data)
        # Decided by the suffix; JSON lines may have any other.
        if path.suffix.lower() == ".parquet":
            from toolgrammar.bulk.files.parquet import ParquetFile

            return ParquetFile(path)
        return PackedLines(path) if path.suffix.lower() == ".gz" else LinesFile(path)
    # Bytes and a single row are iterable too, but not over messages.
    if isinstance(data, bytes | Mapping) or not isinstance(data, Iterable):
        message = "expected a path, a dataset or an iterable of messages or rows"
        raise TypeError(f"{message}, got {type(data).__name__}")
    # A pandas data frame iterates over the names of its columns.
    if hasattr(data, "itertuples") and hasattr(data, "to_dict"):
        return GivenRows(data.to_dict("records"))
    # A Hugging Face dataset, recognised by its attributes, without importing the library.
    if hasattr(data, "num_rows") and hasattr(data, "_fingerprint"):
        from toolgrammar.bulk.files.datasets import Dataset

        return Dataset(data)
    return GivenRows(data)


@dataclass(frozen=True, slots=True)
class Lines:
    """Whole lines of a file."""

    path: Path
    """The file."""
    start: int
    """The offset of the first byte."""
    end: int
    """The offset after the last."""
    first: int
    """The number of the first line."""
    last: int
    """The number of the last."""

    def rows(self, reading: Reading) -> Iterator[Row]:
        """Returns the rows in the lines."""
        with self.path.open("rb") as file:
            file.seek(self.start)
            # Each process reads its own part of the file, so only positions are sent.
            data = file.read(self.end - self.start)
        count = self.last - self.first + 1
        return rows_of_lines(data, self.first, count, reading.column, reading.wanted)


class LinesFile:
    """A file with one JSON object per line."""

    def __init__(self, path: Path) -> None:
        self.path = path.absolute()
        self.total: int | None = self.path.stat().st_size

    def chunks(self, reading: Reading, start: int, before: int) -> Iterator[Chunk]:
        """Yields chunks that end at the first line end after `CHUNK_BYTES`."""
        first = before + 1
        with self.path.open("rb") as file:
            file.seek(start)
            while data := file.read(CHUNK_BYTES):
                # Extended to the end of the line, so that no line is in two chunks.
                rest = file.readline() if not data.endswith(b"\n") else b""
                end = start + len(data) + len(rest)
                # Lines are counted here, so that bad rows can be reported by line number.
                count = data.count(b"\n") + rest.count(b"\n")
                count += not (rest or data).endswith(b"\n")  # the last line may lack its end
                yield Lines(self.path, start, end, first, first + count - 1)
                start, first = end, first + count

    def fingerprint(self) -> str | None:
        """Returns the fingerprint of the file: see `fingerprint_of`."""
        return fingerprint_of(self.path)


@dataclass(frozen=True, slots=True)
class LinesAtHand:
    """A chunk that contains its lines."""

    data: bytes
    """The lines."""
    end: int
    """The offset after the last, in the text of the file."""
    first: int
    """The number of the first line."""
    last: int
    """The number of the last."""

    def rows(self, reading: Reading) -> Iterator[Row]:
        """Returns the rows in the lines."""
        count = self.last - self.first + 1
        return rows_of_lines(self.data, self.first, count, reading.column, reading.wanted)


class PackedLines:
    """A gzip file of lines, which can only be read from its beginning."""

    def __init__(self, path: Path) -> None:
        self.path = path.absolute()
        self.total: int | None = None
        self._fingerprint = fingerprint_of(self.path)

    def chunks(self, reading: Reading, start: int, before: int) -> Iterator[Chunk]:
        """Yields chunks that contain their lines, since positions are of no use in a gzip file."""
        first = before + 1
        with gzip.open(self.path) as file:
            # Seeking unpacks everything before the position, once for a resumed run.
            with unpacking(self.path):
                file.seek(start)
            while data := _whole_lines(file, self.path):
                start += len(data)
                count = data.count(b"\n") + (not data.endswith(b"\n"))
                yield LinesAtHand(data, start, first, first + count - 1)
                first += count

    def fingerprint(self) -> str | None:
        """Returns the fingerprint of the file: see `fingerprint_of`."""
        return self._fingerprint


def _whole_lines(file: gzip.GzipFile, path: Path) -> bytes:
    """Returns the next bytes of a gzip file, up to a line end."""
    with unpacking(path):
        data = file.read(CHUNK_BYTES)
        return data if data.endswith(b"\n") else data + file.readline()


@dataclass(frozen=True, slots=True)
class Given:
    """A chunk that contains its rows."""

    values: list[object]
    """Messages, or mappings that have one."""
    first: int
    """The number of the first."""

    @property
    def last(self) -> int:
        """The number of the last."""
        return self.first + len(self.values) - 1

    @property
    def end(self) -> int:
        """The number of rows up to here."""
        return self.last

    def rows(self, reading: Reading) -> Iterator[Row]:
        """Returns the rows."""
        for number, value in enumerate(self.values, self.first):
            if isinstance(value, Mapping):
                yield row_of(number, value, reading.column, reading.wanted)
            else:
                # A bare message has no columns to name.
                yield checked(number, value, "the row")


class GivenRows:
    """Any iterable of messages, or of mappings that have one."""

    def __init__(self, values: Iterable[object]) -> None:
        self.values = values
        self.total: int | None = len(values) if isinstance(values, Sized) else None

    def chunks(self, reading: Reading, start: int, before: int) -> Iterator[Chunk]:
        """Yields chunks with a fixed number of values."""
        # A run over an iterable is never resumed: see `fingerprint`.
        values = iter(self.values)
        first = before + 1
        while taken := list(islice(values, _CHUNK_ROWS)):
            yield Given(taken, first)
            first += len(taken)

    def fingerprint(self) -> str | None:
        """Returns None: it is not known whether another run would see the same values."""
        return None

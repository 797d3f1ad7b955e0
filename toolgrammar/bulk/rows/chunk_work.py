"""Reads one chunk of rows to its output: what a process of the pool does."""

from __future__ import annotations

import zlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from toolgrammar.bulk.rows.result_lines import new_lines
from toolgrammar.bulk.rows.row_reader import kept_of, results_of_rows

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from toolgrammar.bulk.rows.parse_options import Reading
    from toolgrammar.bulk.rows.row_fields import Row
    from toolgrammar.values.calls import ParseResult

CHECKED = 1 << 12
"""Bytes at the end of a chunk that its checksum is of: a loss of power takes the end of a file."""


class Chunk(Protocol):
    """Some rows that stand together; it pickles, and the process that works on it reads them."""

    @property
    def end(self) -> int:
        """Where in its source the chunk ends, in the source's own measure."""

    @property
    def last(self) -> int:
        """The number of its last row or line."""

    def rows(self, reading: Reading) -> Iterable[Row]:
        """Returns the rows."""


@dataclass(slots=True)
class Done:
    """What became of a chunk."""

    lines: list[bytes] = field(default_factory=list)
    """The results as lines of JSON, cut anywhere, where they are at hand."""
    part: Path | None = None
    """The file that has them, where they come from another process."""
    size: int = 0
    """How many bytes they are."""
    check: int = 0
    """The checksum of their end."""
    results: list[ParseResult] = field(default_factory=list)
    """The results, where no lines are wanted."""
    rows: int = 0
    """How many there are, bad ones too."""
    calls: int = 0
    """The calls found."""
    failed: int = 0
    """The rows whose result is not ok."""
    bad: list[tuple[int, str]] = field(default_factory=list)
    """The numbers of the rows without a message, and why they have none."""
    seen: set[str] = field(default_factory=set)
    """The columns of formats and tools in which a row has something."""

    def add(self, result: ParseResult) -> None:
        """Keeps a result as a value."""
        self.results.append(result)
        self.count_row()
        self.count_result(result)

    def count_row(self) -> None:
        """Counts a row, a bad one too."""
        self.rows += 1

    def count_result(self, result: ParseResult) -> None:
        """Counts the calls of a result, and whether it failed."""
        self.failed += not result.ok
        self.calls += len(result.calls)

    def count(self, *, rows: int, calls: int, failed: int) -> None:
        """Notes how many rows and calls there were, and how many rows failed."""
        self.rows, self.calls, self.failed = rows, calls, failed

    def take_lines(self, lines: list[bytes]) -> None:
        """Takes the lines of all results."""
        self.lines = lines
        # Only of the end: a checksum of all would cost time, and what a crash takes is at the end.
        self.size, self.check = sum(map(len, lines)), zlib.crc32(_end(lines))

    def set_aside(self, path: Path) -> None:
        """Notes the file that has the lines, which are not kept here any more."""
        self.part, self.lines = path, []


def written(chunk: Chunk, reading: Reading) -> Done:
    """Reads a chunk and writes its results as lines of JSON."""
    done = Done()
    lines = new_lines()
    # Names of this function's own: they are looked up for each of millions of rows.
    add, repeat = lines.add, reading.source
    rows = calls = failed = 0
    for number, result, kept in _results(chunk, reading, done):
        rows += 1
        # The message stands in the output once, and only if it is wanted.
        if not add(result, kept, result.source if repeat else ""):
            reason = "its arguments nest too deeply to be written"
            done.bad.append((number, reason))
            result = reading.refused(number, reason)  # noqa: PLW2901 - it stands for the row
            # What stands for the row has no arguments, so that it can be written.
            add(result, kept, "")
        # `ok` looks through all diagnostics: most results have none.
        if result.diagnostics and not result.ok:
            failed += 1
        calls += len(result.calls)
    done.count(rows=rows, calls=calls, failed=failed)
    return close(done, lines.taken())


def close(done: Done, lines: list[bytes]) -> Done:
    """Puts the lines of a chunk to what became of it, with what vouches for them."""
    done.take_lines(lines)
    return done


def _results(
    chunk: Chunk, reading: Reading, done: Done
) -> Iterator[tuple[int, ParseResult, bytes]]:
    """Yields the number of each row, its result, and what goes into the output beside it."""
    if reading.columns is not None:
        rows = chunk.rows(reading)
        for number, result, row in results_of_rows(rows, reading, done.bad, done.seen):
            yield number, result, kept_of(row, reading.keep)
        return
    read = reading.reader()
    for number, text, kept, problem in chunk.rows(reading):
        if problem:
            done.bad.append((number, problem))
            yield number, reading.refused(number, problem), kept
        else:
            yield number, read(text), kept


def _end(lines: list[bytes]) -> bytes:
    """Returns the last bytes."""
    end = b""
    # Lines come in pieces of any size: from the last one back until there are enough bytes.
    for part in reversed(lines):
        if len(end) >= CHECKED:
            break
        end = part + end
    return end[-CHECKED:]


# Without an output, whoever asked wants the results as values.
def read(chunk: Chunk, reading: Reading) -> Done:
    """Reads a chunk and keeps its results as values."""
    done = Done()
    for _, result, _ in _results(chunk, reading, done):
        done.add(result)
    return done

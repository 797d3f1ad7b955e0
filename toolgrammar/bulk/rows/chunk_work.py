"""Reads one chunk of rows and writes its results; this is the work of a process in the pool."""

from __future__ import annotations

import zlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from toolgrammar.bulk.rows.result_lines import new_lines, plain_json
from toolgrammar.bulk.rows.row_reader import kept_of, results_of_rows

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from toolgrammar.bulk.rows.parse_options import Reading
    from toolgrammar.bulk.rows.row_fields import Row
    from toolgrammar.values.calls import ParseResult

CHECKED = 1 << 12
"""The number of bytes at the end of a chunk that are checksummed: a power loss truncates the end."""


class Chunk(Protocol):
    """A range of consecutive rows. It can be pickled; the process that works on it reads the rows."""

    @property
    def end(self) -> int:
        """The position in the source at which the chunk ends, in the unit of the source."""

    @property
    def last(self) -> int:
        """The number of its last row or line."""

    def rows(self, reading: Reading) -> Iterable[Row]:
        """Returns the rows."""


@dataclass(slots=True)
class Done:
    """The output of a chunk, and its counts."""

    lines: list[bytes] = field(default_factory=list)
    """The results as lines of JSON, in pieces of any length, unless they are in `part`."""
    part: Path | None = None
    """The file with the lines, if they come from another process."""
    size: int = 0
    """The size of the lines in bytes."""
    check: int = 0
    """The checksum of their last bytes."""
    results: list[ParseResult] = field(default_factory=list)
    """The results as values, if no lines are wanted."""
    rows: int = 0
    """The number of rows, including bad ones."""
    calls: int = 0
    """The calls found."""
    failed: int = 0
    """The rows whose result is not ok."""
    bad: list[tuple[int, str]] = field(default_factory=list)
    """The numbers of the rows without a message, and why they have none."""
    seen: set[str] = field(default_factory=set)
    """The columns of formats and tools that have a value in a row."""

    def add(self, result: ParseResult) -> None:
        """Stores a result as a value."""
        self.results.append(result)
        self.count_row()
        self.count_result(result)

    def count_row(self) -> None:
        """Counts a row, which may be a bad one."""
        self.rows += 1

    def count_result(self, result: ParseResult) -> None:
        """Counts the calls of a result, and whether it failed."""
        self.failed += not result.ok
        self.calls += len(result.calls)

    def count(self, *, rows: int, calls: int, failed: int) -> None:
        """Notes how many rows and calls there were, and how many rows failed."""
        self.rows, self.calls, self.failed = rows, calls, failed

    def take_lines(self, lines: list[bytes]) -> None:
        """Stores the lines of all results."""
        self.lines = lines
        # Only the end is checksummed, since a crash truncates files there.
        self.size, self.check = sum(map(len, lines)), zlib.crc32(_end(lines))

    def set_aside(self, path: Path) -> None:
        """Records the file that has the lines, and drops them from memory."""
        self.part, self.lines = path, []


def written(chunk: Chunk, reading: Reading) -> Done:
    """Reads a chunk and writes its results as lines of JSON."""
    done = Done()
    lines = new_lines()
    # Local names, which are faster to look up for each of millions of rows.
    add, repeat = lines.add, reading.source
    rows = calls = failed = 0
    for number, result, kept in _results(chunk, reading, done):
        rows += 1
        # The source is repeated only if that is wanted.
        if not add(result, kept, result.source if repeat else ""):
            reason = "its arguments nest too deeply to be written"
            done.bad.append((number, reason))
            result = reading.refused(number, reason)  # noqa: PLW2901 - it stands for the row
            # The result that replaces it has no arguments, so it can be written.
            add(result, kept, "")
        # Tested first, since `ok` loops over the diagnostics, and most results have none.
        if result.diagnostics and not result.ok:
            failed += 1
        calls += len(result.calls)
    done.count(rows=rows, calls=calls, failed=failed)
    return close(done, lines.taken())


def close(done: Done, lines: list[bytes]) -> Done:
    """Stores the lines of a chunk with their size and checksum."""
    done.take_lines(lines)
    return done


def _results(
    chunk: Chunk, reading: Reading, done: Done
) -> Iterator[tuple[int, ParseResult, bytes]]:
    """Yields the number of each row, its result, and its kept columns."""
    rows = _noted(chunk.rows(reading), reading, done.seen) if reading.keep else chunk.rows(reading)
    if reading.columns is not None:
        for number, result, row in results_of_rows(rows, reading, done.bad, done.seen):
            yield number, result, kept_of(row, reading.keep)
        return
    read = reading.reader()
    for number, text, kept, problem in rows:
        if problem:
            done.bad.append((number, problem))
            yield number, reading.refused(number, problem), kept
        else:
            yield number, read(text), kept


def _noted(rows: Iterable[Row], reading: Reading, seen: set[str]) -> Iterator[Row]:
    """Yields rows, and adds the kept columns that one of them has to `seen`."""
    unseen = {name: plain_json(name) + b":" for name in reading.kept_only}
    left = iter(rows)
    # Rows usually have the same columns, so after the first there is nothing more to look for. A
    # key inside of a value passes for a column: that would only omit a note.
    while unseen and (row := next(left, None)) is not None:
        there = {name for name, key in unseen.items() if key in row[2]}
        seen |= there
        unseen = {name: key for name, key in unseen.items() if name not in there}
        yield row
    yield from left


def _end(lines: list[bytes]) -> bytes:
    """Returns the last bytes."""
    end = b""
    # Pieces may have any size: they are joined from the last one back.
    for part in reversed(lines):
        if len(end) >= CHECKED:
            break
        end = part + end
    return end[-CHECKED:]


# Without an output, the caller wants the results as values.
def read(chunk: Chunk, reading: Reading) -> Done:
    """Reads a chunk and stores its results as values."""
    done = Done()
    for _, result, _ in _results(chunk, reading, done):
        done.add(result)
    return done

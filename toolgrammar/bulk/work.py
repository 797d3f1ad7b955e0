"""Reads one chunk of rows to its output: what a process of the pool does."""

from __future__ import annotations

import zlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from toolgrammar.bulk.lines import new_lines

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from toolgrammar.bulk.reading import Reading
    from toolgrammar.bulk.rows import Row
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

    lines: bytes = b""
    """The results as lines of JSON, where they are at hand."""
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


def written(chunk: Chunk, reading: Reading) -> Done:
    """Reads a chunk and writes its results as lines of JSON."""
    done = Done()
    lines = new_lines()
    read, add, repeat = reading.reader(), lines.add, reading.source
    rows = calls = failed = 0
    for number, text, kept, problem in chunk.rows(reading):
        rows += 1
        if problem:
            done.bad.append((number, problem))
            result = reading.refused(number, problem)
        else:
            result = read(text)
        if not add(result, kept, result.source if repeat else ""):
            reason = "its arguments nest too deeply to be written"
            done.bad.append((number, reason))
            result = reading.refused(number, reason)
            add(result, kept, "")
        if result.diagnostics and not result.ok:
            failed += 1
        calls += len(result.calls)
    done.lines, done.rows, done.calls, done.failed = lines.taken(), rows, calls, failed
    done.size, done.check = len(done.lines), zlib.crc32(done.lines[-CHECKED:])
    return done


def read(chunk: Chunk, reading: Reading) -> Done:
    """Reads a chunk and keeps its results as values."""
    done = Done()
    read_one = reading.reader()
    for number, text, _, problem in chunk.rows(reading):
        if problem:
            done.bad.append((number, problem))
        result = reading.refused(number, problem) if problem else read_one(text)
        done.results.append(result)
        done.failed += not result.ok
        done.calls += len(result.calls)
    done.rows = len(done.results)
    return done

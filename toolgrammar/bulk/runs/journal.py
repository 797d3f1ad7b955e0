"""Records the output of a run, so that an interrupted run can be resumed.

Beside the output `NAME` are `NAME.partial`, the lines so far, and `NAME.progress`: a head that
identifies the run, then a line for each chunk whose lines are in the partial file. A killed process
may leave part of a line in either: bytes of the partial file that no progress line confirms, by
their length and the checksum of their end, are cut off. With several processes, `NAME.parts` has the
chunks that wait for their turn. All of these are removed when the output is complete.
"""

from __future__ import annotations

import json
import zlib
from dataclasses import dataclass, field
from errno import EISDIR, ENOENT
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self

from toolgrammar.bulk.rows.chunk_work import CHECKED
from toolgrammar.bulk.runs.reports import MOST_BAD_ROWS
from toolgrammar.bulk.runs.spill_files import pour

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from types import TracebackType

    from toolgrammar.bulk.rows.chunk_work import Done

LINES: Final = (".jsonl", ".ndjson", "")
"""The suffixes of an output of JSON lines; a name without a suffix names no other format."""
_VERSION = 1
_DEVICES: Final = Path("/dev")


@dataclass(slots=True)
class Progress:
    """The progress of a run."""

    place: int = 0
    """The position in the source after the last chunk written."""
    before: int = 0
    """The number of the last row or line before that position."""
    written: int = 0
    """The bytes of output so far."""
    rows: int = 0
    """The rows read, bad ones too."""
    calls: int = 0
    """The calls found."""
    failed: int = 0
    """The rows whose result is not ok."""
    bad: int = 0
    """The rows without a message."""
    bad_rows: list[tuple[int, str]] = field(default_factory=list)
    """The first of them."""
    seen: list[str] = field(default_factory=list)
    """The columns of formats and tools in which a row has something."""

    def add(self, done: Done, place: int, before: int) -> list[tuple[int, str]]:
        """Counts a chunk; returns its bad rows that are added to the listed ones."""
        self.place, self.before = place, before
        self.written += done.size
        self.rows += done.rows
        self.calls += done.calls
        self.failed += done.failed
        self.bad += len(done.bad)
        self.seen = sorted(done.seen.union(self.seen))
        # The limit applies to all resumed runs together.
        named = done.bad[: MOST_BAD_ROWS - len(self.bad_rows)]
        self.bad_rows += named
        return named


def check_output(output: Path, data: object, suffixes: Sequence[str]) -> None:
    """Checks that the output can be written, and that a run does not overwrite its data.

    Args:
        output: the file to write.
        data: the input of the run.
        suffixes: the suffixes of the formats that are written.

    Raises:
        IsADirectoryError: the output is a directory.
        FileNotFoundError: the folder of the output does not exist.
        ValueError: the suffix is that of another format, the output is a device or a pipe, or it,
            or one of the temporary files beside it, is the data.
    """
    if output.is_dir():
        raise IsADirectoryError(EISDIR, "the output is a directory; name a file in it", str(output))
    # The complete file takes the place of its name: root would lose `/dev/null`, and `/dev/stdout`,
    # which may lead to a file.
    if output.parent == _DEVICES or (output.exists() and not output.is_file()):
        raise ValueError(
            f"{output}: this is a device or a pipe, and the output is moved to its place when it "
            "is complete: name a file"
        )
    if not output.parent.is_dir():
        raise FileNotFoundError(
            ENOENT, "the folder of the output is not there; make it first", str(output)
        )
    # JSON lines in `calls.csv` would be found out by the program that reads it.
    if output.suffix.lower() not in suffixes:
        *others, last = filter(None, suffixes)
        raise ValueError(
            f"{output}: {output.suffix or 'a name without a suffix'} is not written: name a file "
            f"that ends in {', '.join(others)} or {last}"
        )
    if not isinstance(data, str | PathLike):
        return
    # The data could even be a file that an interrupted run left.
    for name in (output.name, f"{output.name}.partial", f"{output.name}.progress"):
        path = output.with_name(name)
        if path.exists() and path.samefile(data):
            raise ValueError(
                f"{output}: the run reads {data}, which this output would overwrite: "
                "name another file"
            )


class Journal:
    """The partial output and the progress file of one run, both open for appending."""

    def __init__(self, output: Path, run: dict[str, Any], *, resume: bool) -> None:
        """Opens both files, and reads the progress of an interrupted run.

        Args:
            output: the path of the complete output.
            run: JSON data that identifies the run.
            resume: whether to resume; otherwise existing progress is discarded.

        Raises:
            ValueError: the existing progress belongs to another run.
        """
        self.output = output
        self.partial = output.with_name(output.name + ".partial")
        self.parts = output.with_name(output.name + ".parts")
        self._path = output.with_name(output.name + ".progress")
        self._converted: Path | None = None
        self.progress = Progress()
        head = {"version": _VERSION, **run}
        # The valid bytes of the progress file: its head and the confirmed chunks.
        good = self._found(head) if resume else 0
        mode = "r+b" if good else "wb"
        self._lines = self.partial.open(mode)
        self._notes = self._path.open(mode)
        # What follows is of a chunk that was not finished.
        if good:
            self._lines.truncate(self.progress.written)
            self._lines.seek(self.progress.written)
            self._notes.truncate(good)
            self._notes.seek(good)
        else:
            self._note(head)

    def _found(self, head: dict[str, Any]) -> int:
        """Reads existing progress; returns the number of valid bytes of its file."""
        try:
            notes = self._path.read_bytes()
            size = self.partial.stat().st_size
        except FileNotFoundError:
            return 0
        # Text after the last line end is an incomplete line.
        lines = notes.split(b"\n")[:-1]
        if not lines:
            return 0
        # Compared after a round trip through JSON, in which tuples become lists.
        if json.loads(lines[0]) != json.loads(json.dumps(head)):
            # Without a finished chunk there is nothing to lose: the run that is named here may have
            # ended at once, since its data could not be read.
            if len(lines) == 1:
                return 0
            raise ValueError(
                f"{self._path} is of an interrupted run with other data, other settings or "
                "another version: delete it, or start anew with resume=False (--no-resume)"
            )
        good = len(lines[0]) + 1
        with self.partial.open("rb") as file:
            for line in lines[1:]:
                note = json.loads(line)
                check, length = note.pop("check"), min(CHECKED, note.pop("length"))
                file.seek(note["written"] - length)
                # The lines are shorter than the note says, or others: this chunk and all after it
                # are read again.
                if note["written"] > size or zlib.crc32(file.read(length)) != check:
                    break
                named = [(number, why) for number, why in note.pop("bad_rows")]
                self.progress = Progress(bad_rows=self.progress.bad_rows + named, **note)
                good += len(line) + 1
        return good

    # The lines are written before the note, since a note without lines would be trusted.
    def add(self, done: Done, place: int, before: int) -> None:
        """Appends the lines of a chunk, then a progress line that confirms them."""
        pour(done, self._lines)
        self._lines.flush()
        named = self.progress.add(done, place, before)
        note: dict[str, Any] = {
            name: getattr(self.progress, name) for name in Progress.__dataclass_fields__
        }
        # Only the new ones: the notes together have all.
        note["bad_rows"] = named
        note["length"], note["check"] = done.size, done.check
        self._note(note)

    def _note(self, note: dict[str, Any]) -> None:
        self._notes.write(json.dumps(note).encode() + b"\n")
        self._notes.flush()

    def convert(self, change: Callable[[Path, Path], None]) -> None:
        """Converts the lines to the output format.

        Args:
            change: reads the first path and writes the second.
        """
        self._lines.flush()
        # Under another name until it is complete; the lines are kept until then.
        self._converted = self.output.with_name(self.output.name + ".converted")
        change(self.partial, self._converted)

    def finish(self) -> None:
        """Moves the complete output to its path, and removes all other files of the run."""
        self.close()
        if self._converted is None:
            # `replace` is atomic: the output is either complete or as it was before.
            self.partial.replace(self.output)
        else:
            self._converted.replace(self.output)
            self.partial.unlink()
        # Removed last: until now the run could be resumed.
        self._path.unlink()

    def close(self) -> None:
        """Closes both files."""
        self._lines.close()
        self._notes.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

"""Reads sound arguments in another notation than JSON while they stream, as in `f(q="tea")`.

Example: of `q="te` the delta `{"q": "te` is emitted; `a")` ends the string and the arguments. They
are read by the driver's scanner, and the driver takes over if it mends or doubts anything.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgrammar.core.message.source import Pieces
from toolgrammar.core.payloads.json.whole import read_whole
from toolgrammar.core.shortcuts.stream.cursor import NEEDS_DRIVER, PayloadReader

if TYPE_CHECKING:
    from toolgrammar.core.machine.machine import Step
    from toolgrammar.core.payloads.json.tokens import ChunkMemo
    from toolgrammar.core.payloads.scanners import CallScanner
    from toolgrammar.core.shortcuts.stream.cursor import Cursor, Leave
    from toolgrammar.core.shortcuts.stream.stream_message import StreamMessage
    from toolgrammar.values.events import Event


class StreamScanned(PayloadReader):
    """The reader of arguments that have a scanner; the cursor holds undecided text back."""

    _runs_on: ChunkMemo[str]
    """The JSON of a chunk that only continues a string; empty for any other chunk."""

    def __init__(
        self,
        step: Step,
        cursor: Cursor,
        message: StreamMessage,
        leave: Leave,
        *,
        scanner: CallScanner,
    ) -> None:
        """Makes a reader for one payload; `scanner` reads the arguments."""
        super().__init__(step, cursor, message, leave)
        self._scanner = scanner
        self._written = Pieces()
        """The JSON of the arguments so far."""

    def begin(self, text: str, start: int) -> int:
        """Begins at the first character of the arguments."""
        self._message.begin_arguments(self._cursor.base + start)
        self._cursor.read_with(self._read)
        return self._read(text, start)

    def _read(self, text: str, start: int) -> int:
        """Runs the scanner from an index on."""
        scanner, out = self._scanner, list[str]()
        end = scanner.feed(text, start, out)
        if scanner.failed:
            return NEEDS_DRIVER
        self._write(out)
        if scanner.done:
            return self._end(text, end)
        return self._cursor.hold(text, end, self._take)

    def _take(self, chunk: str) -> list[Event] | None:
        """Accepts a chunk inside the arguments."""
        cursor, message = self._cursor, self._message
        text = cursor.held + chunk
        scanner, out = self._scanner, list[str]()
        end = scanner.feed(text, cursor.position, out)
        # The chunk is added to the source even on failure, since the driver reads all of it again.
        if not self._source.append(chunk) or scanner.failed:
            return None
        if scanner.done:
            cursor.stand_in(text)
            self._write(out)
            return message.told() if cursor.run(text, self._end(text, end)) else None
        if cursor.hold(text, end, self._take) == NEEDS_DRIVER:
            return None
        runs_on = scanner.run_on() if end == len(text) else None
        if runs_on is not None:
            self._runs_on = runs_on
            cursor.take_with(self._take_string)
        if not out:
            return []
        piece = out[0] if len(out) == 1 else "".join(out)
        self._written.append(piece)
        return message.delta(piece)

    def _take_string(self, chunk: str) -> list[Event] | None:
        """Accepts a chunk inside a string when nothing is held back."""
        piece = self._runs_on[chunk]
        if not piece:
            # The scanner did not read the chunks that were passed on, and needs the last character.
            last = self._source.last
            self._cursor.hold(last, len(last), self._take)
            return self._take(chunk)
        if not self._source.append(chunk):
            return None
        self._written.append(piece)
        return self._message.delta(piece)

    def _write(self, out: list[str]) -> None:
        """Emits the JSON that the scanner returned."""
        if out:
            piece = "".join(out)
            self._written.append(piece)
            self._message.give(piece)

    def _end(self, text: str, end: int) -> int:
        """Ends the arguments that the scanner has read."""
        value, _ = read_whole(self._written.take(), 0) or (None, 0)
        scanner = self._scanner
        # Each of these is reported with the call, and only the driver makes diagnostics.
        if not isinstance(value, dict) or scanner.faults:
            return NEEDS_DRIVER
        self._message.take_arguments(value, self._cursor.base + end)
        return self._leave(self._step, text, end)

"""Reads arguments that are written otherwise than in JSON while they stream, as in `f(q="tea")`.

The driver's scanner reads them; where it mends or doubts anything, the driver takes over.
Example: of `q="te` the delta `{"q": "te` goes out; `a")` ends the string and the arguments.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgrammar.core.message.pieces import Pieces
from toolgrammar.core.payloads.json.whole import read_whole
from toolgrammar.core.shortcuts.stream.cursor import NEEDS_DRIVER, PayloadReader

if TYPE_CHECKING:
    from toolgrammar.core.machine.machine import Step
    from toolgrammar.core.payloads.json.chunk_memo import ChunkMemo
    from toolgrammar.core.payloads.scanners import CallScanner
    from toolgrammar.core.shortcuts.stream.cursor import Cursor, Leave
    from toolgrammar.core.shortcuts.stream.stream_message import StreamMessage
    from toolgrammar.values.events import Event


class StreamScanned(PayloadReader):
    """The arguments of a call, as a scanner reads them; the cursor holds what is undecided."""

    _runs_on: ChunkMemo[str]
    """A chunk that only goes on in a string of theirs, as JSON."""

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
        """The JSON of the arguments."""

    def begin(self, text: str, start: int) -> int:
        """Begins where the arguments do."""
        self._message.begin_arguments(self._cursor.base + start)
        self._cursor.read_with(self._read)
        return self._read(text, start)

    def _read(self, text: str, start: int) -> int:
        """Has the scanner read on."""
        scanner, out = self._scanner, list[str]()
        end = scanner.feed(text, start, out)
        if scanner.failed:
            return NEEDS_DRIVER
        self._write(out)
        if scanner.done:
            return self._end(text, end)
        return self._cursor.hold(text, end, self._take)

    def _take(self, chunk: str) -> list[Event] | None:
        """Takes a chunk in the arguments."""
        cursor, message = self._cursor, self._message
        text = cursor.held + chunk
        scanner, out = self._scanner, list[str]()
        end = scanner.feed(text, cursor.position, out)
        # The chunk belongs to the source in any case: the driver reads all of it once more.
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
        """Takes a chunk in a string, where nothing is held back."""
        piece = self._runs_on[chunk]
        if not piece:
            # The scanner did not see the chunks that were passed on: it needs the last character.
            last = self._source.last
            self._cursor.hold(last, len(last), self._take)
            return self._take(chunk)
        if not self._source.append(chunk):
            return None
        self._written.append(piece)
        return self._message.delta(piece)

    def _write(self, out: list[str]) -> None:
        if out:
            piece = "".join(out)
            self._written.append(piece)
            self._message.give(piece)

    def _end(self, text: str, end: int) -> int:
        """Ends the arguments that the scanner has read."""
        value, _ = read_whole(self._written.take(), 0) or (None, 0)
        scanner = self._scanner
        # Each of these is reported with the call, and diagnostics are the driver's.
        if not isinstance(value, dict) or scanner.doubt or scanner.mended or scanner.bare_text:
            return NEEDS_DRIVER
        self._message.take_arguments(value, self._cursor.base + end)
        return self._leave(self._step, text, end)

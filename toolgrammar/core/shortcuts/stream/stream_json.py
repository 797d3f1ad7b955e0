"""Reads the arguments of a call while they stream, as long as they are sound.

JSON is read by the driver's own reader, which is `JsonPayload`: at its first repair the driver takes
over. Example: of `{"q": "it is` the delta `{"q": "` and then each chunk of the string is given out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgrammar.core.arguments.json_payload import JsonPayload
from toolgrammar.core.message.pieces import Pieces
from toolgrammar.core.payloads.json.duplicates import unique_value
from toolgrammar.core.payloads.json.tokens import MAX_DEPTH
from toolgrammar.core.payloads.json.typing_rules import needs_typing
from toolgrammar.core.payloads.json.whole import read_object, read_whole
from toolgrammar.core.payloads.scanners import call_scanner_for
from toolgrammar.core.shortcuts.stream.inert_chunks import sure
from toolgrammar.core.shortcuts.stream.stream_message import NEEDS_DRIVER, WAITS, StreamMessage
from toolgrammar.core.shortcuts.whole.fused_tokens import OBJECTS
from toolgrammar.grammar.payload_kinds import PAYLOADS
from toolgrammar.values.events import ArgumentsDelta

if TYPE_CHECKING:
    from toolgrammar.core.machine.machine import Step
    from toolgrammar.core.payloads.json.chunk_memo import ChunkMemo
    from toolgrammar.core.payloads.scanners import CallScanner
    from toolgrammar.values.events import Event


class StreamJson(StreamMessage):
    """A message whose calls may have their arguments as JSON."""

    __slots__ = (
        "payload",
        "payload_start",
        "reader",
        "runs_on",
        "scanner",
        "written",
    )

    payload: Step
    payload_start: int
    """Offset where the payload begins."""
    written: Pieces
    """The JSON of arguments that are written otherwise."""
    scanner: CallScanner
    """What reads arguments that are no JSON."""
    runs_on: ChunkMemo[str]
    """A chunk that only goes on in a string of theirs, as JSON."""
    reader: JsonPayload
    """What reads arguments that are JSON: the driver's own reader, up to its first repair."""

    def leave(self, step: Step, text: str, end: int) -> int:
        """Ends a payload at an index of the text; returns where to read on, or `NEEDS_DRIVER`."""
        raise NotImplementedError

    def _begin_arguments(self, step: Step, text: str, start: int) -> None:
        self.payload = step
        if not self.started:
            self.begin_call()
        self.payload_start = self.base + start
        if self.arguments_start < 0:
            self.arguments_start = self.payload_start

    def begin_json_value(self, step: Step, text: str, start: int) -> int:
        """Begins the value of an argument that is written as JSON."""
        # No token stood between this value and the last one: the driver judges that.
        if self.doubtful or not self.begin_value(self.base + start):
            return NEEDS_DRIVER
        self.payload = step
        self.read = self._json_value
        return start

    def _json_value(self, text: str, start: int) -> int:
        """Reads a value of an argument, all of it at once."""
        # A value is small as a rule: it is held back until it is whole, and read at once.
        found = read_whole(text, start, object_only=self.payload.terminal.name in OBJECTS)
        if found is None:
            return self.hold(text, start)
        value, end = found
        wanted = self.guide.member(self.key) if self.guide is not None else None
        if wanted is not None and needs_typing(value, wanted):
            return NEEDS_DRIVER
        assert self.arguments is not None
        self.arguments[self.key] = value
        self.arguments_end = self.base + end
        # The driver may still find that the value goes on: its events wait for the next token.
        self.doubtful = True
        self.give(self.member() + text[start:end])
        return self.leave(self.payload, text, end)

    def begin_scanned(self, step: Step, text: str, start: int) -> int:
        """Begins arguments that are written otherwise than in JSON."""
        if self.arguments is not None or self.doubtful:
            return NEEDS_DRIVER
        scanner = call_scanner_for(step.terminal, self.spec, MAX_DEPTH, step)
        if scanner is None:
            return NEEDS_DRIVER
        self._begin_arguments(step, text, start)
        self.scanner = scanner
        self.written = Pieces()
        self.read = self._scan
        return start

    def _scan(self, text: str, start: int) -> int:
        """Has the scanner of the arguments read on."""
        scanner, out = self.scanner, list[str]()
        end = scanner.feed(text, start, out)
        if scanner.failed:
            return NEEDS_DRIVER
        self._write(out)
        if scanner.done:
            return self._end_scanned(text, end)
        waits = self.hold(text, end)
        self.take = self._take_scanned
        return waits

    def _take_scanned(self, chunk: str) -> list[Event] | None:
        """Takes a chunk in arguments that are written otherwise than in JSON."""
        text = self.held + chunk
        scanner, out = self.scanner, list[str]()
        end = scanner.feed(text, self.position, out)
        # The chunk belongs to the source in any case: the driver reads all of it once more.
        if not self.took(chunk) or scanner.failed:
            return None
        if scanner.done:
            self.base = self.source.length - len(text)
            self._write(out)
            return self.told() if self.run(text, self._end_scanned(text, end)) else None
        if end == len(text):
            self.held, self.position = "", 0
            runs_on = scanner.run_on()
            if runs_on is not None:
                self.runs_on = runs_on
                self.take = self._take_scanned_string
        elif self.hold(text, end) == NEEDS_DRIVER:
            return None
        else:
            self.take = self._take_scanned
        if not out:
            return []
        piece = out[0] if len(out) == 1 else "".join(out)
        self.written.append(piece)
        self.given += len(piece)
        return [ArgumentsDelta(self.index, piece)]

    def _take_scanned_string(self, chunk: str) -> list[Event] | None:
        """Takes a chunk in a string of such arguments, where nothing is held back."""
        piece = self.runs_on[chunk]
        if not piece:
            self.take = self._take_scanned
            # The scanner did not see the chunks that were passed on: it needs the last character.
            self.scanner.passed(self.source.last)
            return self._take_scanned(chunk)
        if not self.source.append(chunk):
            return None
        self.written.append(piece)
        self.given += len(piece)
        return [ArgumentsDelta(self.index, piece)]

    def _write(self, out: list[str]) -> None:
        if out:
            piece = "".join(out)
            self.written.append(piece)
            self.give(piece)

    def _end_scanned(self, text: str, end: int) -> int:
        """Ends the arguments that the scanner has read."""
        try:
            value = unique_value(self.written.take())
        except ValueError:
            return NEEDS_DRIVER
        scanner = self.scanner
        # Each of these is reported with the call, and diagnostics are the driver's.
        if type(value) is not dict or scanner.doubt or scanner.mended or scanner.bare_text:
            return NEEDS_DRIVER
        self.arguments = value
        self.arguments_end = self.base + end
        return self.leave(self.payload, text, end)

    # JSON

    def begin_json(self, step: Step, text: str, start: int) -> int:
        """Begins the arguments of a call at the bracket that opens them."""
        if self.arguments is not None or self.doubtful:
            return NEEDS_DRIVER
        self._begin_arguments(step, text, start)
        self.reader = JsonPayload(
            step,
            self.machine.start,
            self.guide,
            backticks=PAYLOADS[step.terminal.name].backticks,
            max_depth=MAX_DEPTH,
        )
        self.read = self._json
        return start

    def _json(self, text: str, start: int) -> int:
        """Has the reader of the arguments read on in all that has come."""
        out: list[str] = []
        end = self._fed(text, start, self.base, out)
        if end < 0:
            return NEEDS_DRIVER
        if out:
            self.give("".join(out))
        if not self.reader.done:
            self._wait()
            return WAITS
        return self._end_json(text, end) if not self.reader.unread else NEEDS_DRIVER

    def _fed(self, text: str, start: int, base: int, out: list[str]) -> int:
        """Feeds the reader; returns where it has come to, -1 at its first repair."""
        reader = self.reader
        end = reader.feed(text, start, out, base=base)
        # Up to the first repair the driver gives out the same.
        return -1 if reader.failed or reader.repairs else end

    def _wait(self) -> None:
        """Waits for the next chunk; the reader holds what is undecided."""
        self.held, self.position = "", 0
        self.take = self._take_string if self.reader.plain else self._take_json

    def _take_json(self, chunk: str) -> list[Event] | None:
        """Takes a chunk in the arguments."""
        if not self.took(chunk):
            return None
        return self._read_chunk(chunk)

    def _read_chunk(self, chunk: str) -> list[Event] | None:
        """Reads a chunk that is in the source already."""
        out: list[str] = []
        end = self._fed(chunk, 0, self.source.length - len(chunk), out)
        if end < 0:
            return None
        reader = self.reader
        if not reader.done:
            self._wait()
            if not out:
                return []
            piece = "".join(out)
            self.given += len(piece)
            return [ArgumentsDelta(self.index, piece)]
        # The reader looked past the bracket to be sure of it, as at `}` before more text.
        if reader.unread:
            # What was looked at behind the arguments is read once more, with the bracket before it.
            end = 1
            chunk = self.source.slice(
                self.source.length - len(reader.unread) - len(chunk) - 1, self.source.length
            )
        self.base = self.source.length - len(chunk)
        if out:
            self.give("".join(out))
        return self.told() if self.run(chunk, self._end_json(chunk, end)) else None

    def _take_string(self, chunk: str) -> list[Event] | None:
        """Takes a chunk in a string whose body is given out as it stands."""
        text = self.held + chunk
        if not self.source.append(chunk):
            return None
        # All but a tail that may be more than text: half an escape, or `, ` where a quote is
        # missing.
        certain = sure[text]
        if certain < 0:
            self.held = ""
            return self._read_chunk(text)
        self.held = text[certain:]
        if not certain:
            return []
        text = text[:certain]
        self.reader.went_on(text)
        self.given += len(text)
        return [ArgumentsDelta(self.index, text)]

    def _end_json(self, text: str, end: int) -> int:
        """Ends the arguments behind their last bracket."""
        stop = self.base + end
        written = self.source.slice(self.payload_start, stop)
        # Read once more as a whole: the reader gives JSON text, and no value.
        found = read_object(written, 0)
        if found is None or found[1] != len(written):
            return NEEDS_DRIVER
        spec = self.spec
        # An argument that is left out is reported, and the deltas had it already.
        if self.rules.drops and spec is not None and not found[0].keys() <= spec.properties.keys():
            return NEEDS_DRIVER
        self.arguments = found[0]
        self.arguments_end = stop
        return self.leave(self.payload, text, end)

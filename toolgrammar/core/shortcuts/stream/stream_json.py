"""Reads sound arguments in JSON while they stream.

Example: of `{"q": "it is` the delta `{"q": "` is emitted, and then each chunk of the string. An
object is read by the driver's own scanner, `JsonPayload`, and the driver takes over at its first
repair. The value of a single argument is read at once, when all of it has come.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolgrammar.core.arguments.json_payload import JsonPayload
from toolgrammar.core.payloads.json.tokens import BRACKETS, CHARACTERS, MAX_DEPTH, TAG, certain_in
from toolgrammar.core.payloads.json.typing_rules import needs_typing
from toolgrammar.core.payloads.json.whole import read_whole
from toolgrammar.core.shortcuts.stream.cursor import NEEDS_DRIVER, WAITS, PayloadReader
from toolgrammar.core.shortcuts.whole.fused_tokens import OBJECTS
from toolgrammar.grammar.payload_kinds import PAYLOADS
from toolgrammar.tools.json_tokens import HEX, ONE_ESCAPE
from toolgrammar.values.patterns import late

if TYPE_CHECKING:
    from toolgrammar.core.machine.machine import Node, Step
    from toolgrammar.core.shortcuts.stream.cursor import Cursor, Leave
    from toolgrammar.core.shortcuts.stream.stream_message import StreamMessage
    from toolgrammar.values.events import Event

_COMMA: Final = r""",(?= *[^ ,"'\\])"""
_IN_STRING: Final = late(
    rf"{CHARACTERS}(?:(?:{ONE_ESCAPE}|{_COMMA}|{BRACKETS}|{TAG}){CHARACTERS})*+"
    rf"(, *|[}}\]]{{1,64}},? *|<|\\(?:u{HEX}{{0,3}})?)?"
)
"""Matches a piece of a JSON string; group 1 is the end of it that is not certain.

That is the beginning of an escape, or a comma, brackets or markup, before which the string may have
ended without its quote.
"""
_sure: Final = certain_in(_IN_STRING)
"""Returns how many characters of a piece are certainly in the string; -1 if it may end there."""


class StreamJson(PayloadReader):
    """The reader of arguments that are a JSON object."""

    def __init__(
        self, step: Step, cursor: Cursor, message: StreamMessage, leave: Leave, *, opening: Node
    ) -> None:
        """Makes a reader for one payload; `opening` is the node in which calls open."""
        super().__init__(step, cursor, message, leave)
        self._start = 0
        """The offset where the payload begins."""
        self._tail = ""
        """The end of a string that is not emitted; the scanner keeps all other undecided text."""
        self._reader = JsonPayload(
            step,
            opening,
            message.guide,
            backticks=PAYLOADS[step.terminal.name].backticks,
            max_depth=MAX_DEPTH,
        )

    @property
    def held(self) -> str:
        """The end of a string that is not emitted."""
        return self._tail

    def begin(self, text: str, start: int) -> int:
        """Begins at the bracket that opens the arguments."""
        self._start = self._cursor.base + start
        self._message.begin_arguments(self._start)
        self._cursor.read_with(self._read)
        return self._read(text, start)

    def _read(self, text: str, start: int) -> int:
        """Runs the scanner on all text that has come."""
        out: list[str] = []
        end = self._fed(text, start, self._cursor.base, out)
        if end < 0:
            return NEEDS_DRIVER
        if out:
            self._message.give("".join(out))
        reader = self._reader
        if not reader.done:
            self._cursor.take_with(self._take_string if reader.plain else self._take)
            return WAITS
        return self._end(text, end) if not reader.unread else NEEDS_DRIVER

    def _fed(self, text: str, start: int, base: int, out: list[str]) -> int:
        """Feeds the scanner; returns the index that it has reached, or -1 at its first repair."""
        reader = self._reader
        end = reader.feed(text, start, out, base=base)
        # Up to the first repair the driver emits the same.
        return -1 if reader.failed or reader.repairs else end

    def _take(self, chunk: str) -> list[Event] | None:
        """Accepts a chunk inside the arguments."""
        if not self._source.append(chunk):
            return None
        return self._read_chunk(chunk)

    def _read_chunk(self, chunk: str) -> list[Event] | None:
        """Reads a chunk that was added to the source already."""
        out: list[str] = []
        end = self._fed(chunk, 0, self._source.length - len(chunk), out)
        if end < 0:
            return None
        reader = self._reader
        if not reader.done:
            self._cursor.take_with(self._take_string if reader.plain else self._take)
            return self._message.delta("".join(out)) if out else []
        # The scanner may have looked past the last bracket, to be certain of it.
        if reader.unread:
            # The text that it looked at is read again as markup, with the bracket before it.
            end = 1
            chunk = self._source.slice(
                self._source.length - len(reader.unread) - len(chunk) - 1, self._source.length
            )
        message, cursor = self._message, self._cursor
        cursor.stand_in(chunk)
        if out:
            message.give("".join(out))
        return message.told() if cursor.run(chunk, self._end(chunk, end)) else None

    def _take_string(self, chunk: str) -> list[Event] | None:
        """Accepts a chunk inside a string whose content is emitted as it is written."""
        text = self._tail + chunk
        if not self._source.append(chunk):
            return None
        # An end that may not belong to the string is kept: half an escape, or `, ` where a quote
        # may be missing.
        certain = _sure[text]
        if certain < 0:
            self._tail = ""
            return self._read_chunk(text)
        self._tail = text[certain:]
        if not certain:
            return []
        text = text[:certain]
        self._reader.went_on(text)
        return self._message.delta(text)

    def _end(self, text: str, end: int) -> int:
        """Ends the arguments after their last bracket."""
        message = self._message
        stop = self._cursor.base + end
        written = self._source.slice(self._start, stop)
        # The text is read again as a whole, since the scanner emits JSON text and no value.
        found = read_whole(written, 0)
        if found is None or found[1] != len(written) or not isinstance(found[0], dict):
            return NEEDS_DRIVER
        value, spec = found[0], message.spec
        # The driver reports an argument that is dropped, though the deltas had it already.
        if message.rules.drops and spec is not None and not value.keys() <= spec.properties.keys():
            return NEEDS_DRIVER
        message.take_arguments(value, stop)
        return self._leave(self._step, text, end)


class StreamJsonValue(PayloadReader):
    """The reader of one argument in JSON; the cursor holds all of its text back."""

    def begin(self, text: str, start: int) -> int:
        """Begins at the first character of the value."""
        message, cursor = self._message, self._cursor
        # If no token stood between this value and the last one, the driver judges that.
        if message.doubtful or not message.begin_value():
            return NEEDS_DRIVER
        cursor.read_with(self._read)
        return self._read(text, start)

    def _read(self, text: str, start: int) -> int:
        """Reads the value at once, when it is complete."""
        message, cursor = self._message, self._cursor
        # A value without strings is usually short, so it is held back until it is complete. A value
        # with strings is left to the driver, which emits these as they come.
        found = read_whole(text, start, object_only=self._step.terminal.name in OBJECTS)
        if found is None:
            return NEEDS_DRIVER if text.find('"', start) >= 0 else cursor.hold(text, start)
        value, end = found
        wanted = message.guide.member(message.key) if message.guide is not None else None
        if wanted is not None and needs_typing(value, wanted):
            return NEEDS_DRIVER
        message.take_argument(value)
        message.end_arguments(cursor.base + end)
        # The value may still go on, so its events wait for the next token.
        message.doubt(doubtful=True)
        message.give(message.member() + text[start:end])
        return self._leave(self._step, text, end)

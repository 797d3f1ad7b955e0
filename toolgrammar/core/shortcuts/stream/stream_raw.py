"""Reads sound raw payloads of a stream: values, reasoning and text that end with their own closer.

Example: of `<parameter=p>a < b</par` the value `a < b` is emitted, and `</par` is held back.
"""

from __future__ import annotations

import json
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from toolgrammar.core.machine.machine import SHORT
from toolgrammar.core.payloads.json.tokens import ChunkMemo, as_json, in_strings, matching
from toolgrammar.core.payloads.json.typing_rules import is_broken_json, may_be_json
from toolgrammar.core.payloads.raw.named_end import end_of_raw
from toolgrammar.core.shortcuts.stream.cursor import MOST_HELD, NEEDS_DRIVER, WAITS, PayloadReader
from toolgrammar.core.shortcuts.whole.shortcut_rules import repeats_rightly, typed_value
from toolgrammar.core.state.doubts import NEAR, ends_with_closer
from toolgrammar.core.trust.call_or_text import ends_in_code
from toolgrammar.core.trust.thoughts import is_thought_doubtful, may_be_left_open
from toolgrammar.grammar.roles import PROSE_ROLES
from toolgrammar.patterns.trim import NONE, ONE_NEWLINE, STRIP
from toolgrammar.values.events import ReasoningDelta, TextDelta
from toolgrammar.values.patterns import blanks

if TYPE_CHECKING:
    import re

    from toolgrammar.core.machine.machine import Step
    from toolgrammar.core.payloads.raw.raw_end import RawEnd
    from toolgrammar.core.shortcuts.stream.cursor import Cursor, Leave
    from toolgrammar.core.shortcuts.stream.stream_message import StreamMessage
    from toolgrammar.values.events import Event

_MOST_BLANKS_HELD = 256
"""The most white space that is held back; with more, the driver takes over."""
_MODES = frozenset({NONE, ONE_NEWLINE, STRIP})


class StreamRaw(PayloadReader):
    """The reader of one raw payload."""

    _solid: ChunkMemo[str]
    """The JSON of a chunk that only continues a value; empty for any other chunk."""

    def __init__(
        self, step: Step, cursor: Cursor, message: StreamMessage, leave: Leave, *, before: bool
    ) -> None:
        """Makes a reader for one payload; `before`: whether the token before it ends a line."""
        super().__init__(step, cursor, message, leave)
        self._rules = message.rules
        self._raw = raw = end_of_raw(step)
        self._waiting = _waiting(raw)
        """Whether held text with the next chunk, after one more character, still has to wait."""
        role = step.role
        key = message.key if role == "value" else ""
        usual = ONE_NEWLINE if before or raw.closes_line else NONE
        mode = self._mode = self._rules.trim.get(key) or self._rules.trim.get(role) or usual
        self._began = mode == NONE or (mode == ONE_NEWLINE and not before and mode == usual)
        """Whether the white space that is trimmed at the beginning was removed."""
        # As in `Trimmer`, white space at the end that may still be trimmed is held back.
        self._blanks = "\r\n" if mode in (NONE, ONE_NEWLINE) else None
        """The characters at the end of a chunk that may be trimmed; None for all white space."""
        self._start = 0
        """The offset where the payload begins."""
        self._held = ""
        """The text that is held back, with the character before it."""
        self._from = 0
        """The index in `_held` where the text that is held back begins."""
        self._streams = True
        """Whether the value is always a string, so that it need not wait for its end."""
        self._undecided = False
        """Whether that depends on its first character, which has not come."""
        self._value_from = -1
        """The offset where the trimmed value begins; -1 if it is not known yet."""
        self._flows = False
        """Whether the payload is a value that is emitted as it comes."""

    @property
    def held(self) -> str:
        """The text that is held back."""
        return self._held[self._from :]

    def begin(self, text: str, start: int) -> int:
        """Begins at the first character of the payload."""
        message, role = self._message, self._step.role
        if message.doubtful or (role != "value" and role not in PROSE_ROLES):
            return NEEDS_DRIVER
        # Between two messages a line end is inserted, which has no offset in the source.
        said = message.reasonings if role == "reasoning" else message.texts
        if self._rules.has_lines and said:
            return NEEDS_DRIVER
        # Other trim modes need the end of the value, or each of its lines.
        if self._mode not in _MODES:
            return NEEDS_DRIVER
        self._start = self._cursor.base + start
        if role == "value" and not self._begin_value():
            return NEEDS_DRIVER
        self._cursor.read_with(self._look)
        return self._look(text, start)

    def _begin_value(self) -> bool:
        """Begins the value of the last key; returns False if the driver has to read it."""
        step, message = self._step, self._message
        # The driver doubts raw text in place of JSON.
        if step.is_fallback or not message.begin_value():
            return False
        typed = step.terminal.name == "RAW"
        self._undecided = typed and self._rules.by_shape
        self._streams = not typed or message.guide is None or message.guide.is_text(message.key)
        if self._undecided:
            # If the schema decides the type, the value waits for its end. If not, its first
            # character decides whether it may be JSON.
            self._undecided = self._streams
            self._streams = False
        elif self._streams:
            self._open_string()
        return True

    def _open_string(self) -> None:
        """Emits the key and the opening quote of a string."""
        self._message.give(f'{self._message.member()}"')

    def _take(self, chunk: str) -> list[Event] | None:
        """Accepts a chunk."""
        start, text = self._from, self._held + chunk
        if not self._source.append(chunk):
            return None
        raw, message = self._raw, self._message
        # If the held text still has to wait with this chunk, nothing else needs to be searched.
        if len(self._held) > start and (self._waiting[text] if start else _waits(raw, text, 0)):
            self._held = text
            return message.told() if _may_be_held(text[start:]) else None
        match = raw.find(text, start)
        # A part that only continues the value is emitted here, without a round of `run`.
        if self._flows and (match is None or not raw.closes(match)):
            tail = raw.beginnings.search(text, max(start, len(text) - MOST_HELD))
            stop = len(text) if tail is None else tail.start()
            if match is None or match.start() >= stop:
                return self._flow(text, start, stop)
        cursor = self._cursor
        cursor.stand_in(text)
        return message.told() if cursor.run(text, self._judge(match, text, start)) else None

    def _flow(self, text: str, start: int, stop: int) -> list[Event] | None:
        """Emits a part of a string value that does not end in it."""
        kept = text[start:stop].rstrip(self._blanks)
        self._hold(text, start + len(kept))
        # With nothing held back, the next chunk needs only one lookup.
        if start + len(kept) == len(text):
            self._cursor.take_with(self._take_solid)
        if not kept:
            return [] if _may_be_held(text[start:]) else None
        return self._message.delta(as_json(kept)[1:-1])

    def _hold(self, text: str, end: int) -> None:
        """Holds a text back from an index on."""
        # The character before it is kept for look-behinds.
        self._held, self._from = (text[end - 1 :], 1) if end else (text, 0)

    def _take_solid(self, chunk: str) -> list[Event] | None:
        """Accepts a chunk of a string value when nothing is held back."""
        piece = self._solid[chunk]
        if not piece:
            self._held, self._from = self._source.last, 1
            self._cursor.take_with(self._take)
            return self._take(chunk)
        if not self._source.append(chunk):
            return None
        return self._message.delta(piece)

    def _pass_on(self) -> None:
        """Accepts the next chunks; they are passed on as they come if nothing is held back."""
        cursor, role = self._cursor, self._step.role
        cursor.take_with(self._take)
        is_free = self._began and not self._rules.has_raw_entities
        raw = self._raw
        # If a closer may begin with white space, white space at the end of a chunk is not certain.
        held = r"\s" if self._blanks is None or raw.solid is not None else self._blanks
        solid = _without_blanks(raw.solid_plain.pattern, held)
        self._solid = in_strings(solid)
        self._flows = is_free and role == "value" and self._streams and self._value_from >= 0
        if len(self._held) > self._from or not is_free:
            return
        if role == "reasoning":
            cursor.pass_on(self._message.reasonings, matching(solid), ReasoningDelta)
        elif role != "value":
            cursor.pass_on(self._message.texts, matching(solid), TextDelta)
        elif self._flows:
            cursor.take_with(self._take_solid)

    def _look(self, text: str, start: int) -> int:
        """Searches the closer from an index on."""
        return self._judge(self._raw.find(text, start), text, start)

    def _judge(self, match: re.Match[str] | None, text: str, start: int) -> int:
        """Ends a payload at its closer, or emits the certain part of it.

        Args:
            match: the first match of a closer or other markup in the text; None if there is none.
            text: the text.
            start: the index where the part begins that was not emitted.
        """
        raw = self._raw
        # A chunk may cut an entity, so the driver decodes them.
        if self._rules.has_raw_entities and "&" in text:
            return NEEDS_DRIVER
        stop = len(text) if match is None else match.start()
        closes = match is not None and raw.closes(match)
        begun = None
        if not closes or raw.looks_on or not raw.is_plain(text, start, stop):
            begun = raw.beginnings.search(text, max(start, len(text) - MOST_HELD))
        # The match is not final if a longer one may begin before it, or at its place.
        grows = begun is not None and (
            begun.start() < stop or (begun.start() == stop and (raw.looks_on or not closes))
        )
        if match is None or grows:
            stop = begun.start() if begun is not None else len(text)
            kept = text[start:stop].rstrip(self._blanks)
            self._hold(text, start + len(kept))
            if kept and not self._pass_first(kept, self._cursor.base + start):
                return NEEDS_DRIVER
            self._pass_on()
            return WAITS if _may_be_held(text[start + len(kept) :]) else NEEDS_DRIVER
        return self._close(match, text, start) if closes else NEEDS_DRIVER

    def _close(self, match: re.Match[str], text: str, start: int) -> int:
        """Ends the payload before its closer."""
        raw, stop, message = self._raw, match.start(), self._message
        end = self._cursor.base + stop
        if raw.repeats and not repeats_rightly(match, message.written_name, message.written_key):
            return NEEDS_DRIVER
        if raw.call_closes_alone and ends_with_closer.search(
            self._source.slice(max(self._start, end - NEAR), end)
        ):
            return NEEDS_DRIVER
        whole = self._source.slice(self._start, end)
        # An opener that ends the prose may be in inline code, which the driver judges.
        if self._step.role in PROSE_ROLES and ends_in_code(whole.rpartition("\n\n")[2]):
            return NEEDS_DRIVER
        # This is searched when the value is complete; the driver emits the same text of it.
        if raw.marks.damaged(whole, message.written_name, message.written_key) is not None:
            return NEEDS_DRIVER
        is_open = self._step.role == "reasoning" and may_be_left_open(raw.node)
        if self._step.role == "reasoning" and is_thought_doubtful(
            whole, raw.machine.signs, is_open=is_open
        ):
            return NEEDS_DRIVER
        if not self._end(text[start:stop], self._cursor.base + start):
            return NEEDS_DRIVER
        if self._step.role == "value":
            message.end_arguments(end)
        elif is_open:
            message.leave_thought()
        if raw.is_beside_calls:
            message.thoughts.add(self._start, end)
        return self._leave(self._step, text, stop)

    def _pass_first(self, text: str, start: int) -> bool:
        """Emits a piece that is not empty, trimmed if it is the first one; False for the driver."""
        rest = self._without_front(text)
        if rest is None:
            return False
        self._began = True
        self._pass(rest, start + len(text) - len(rest))
        return True

    def _without_front(self, text: str) -> str | None:
        """Returns a piece, trimmed in front if it is the first; None if the driver must trim."""
        if self._began or not text:
            return text
        # A chunk may cut `\r\n`, so the driver's trimmer decides.
        if text[0] == "\r":
            return None
        return text.lstrip() if self._mode == STRIP else text.removeprefix("\n")

    def _pass(self, text: str, start: int) -> None:
        """Emits more of the payload, which begins at an offset."""
        role = self._step.role
        if role == "reasoning":
            self._message.reason(text, start)
        elif role != "value":
            self._message.say(text, start)
        else:
            if self._value_from < 0:
                self._value_from = start
            if text and self._streams:
                self._message.give(as_json(text)[1:-1])
            elif text and self._undecided:
                self._decide(start + len(text))

    def _decide(self, end: int) -> None:
        """Lets a value stream if its first character is not that of JSON."""
        text = self._source.slice(self._value_from, end)
        first = text.lstrip()[:1]
        self._undecided = not first
        if first and not may_be_json(first, self._message.schema()):
            self._streams = True
            self._open_string()
            self._message.give(as_json(text)[1:-1])

    def _end(self, rest: str, start: int) -> bool:
        """Ends a raw payload with the rest that was held back; False if the driver has to read it.

        Args:
            rest: the rest.
            start: its offset.
        """
        text = self._without_front(rest)
        if text is None:
            return False
        start += len(rest) - len(text)
        if self._mode == ONE_NEWLINE:
            # Only one line end is layout; a line end before it belongs to the value.
            text = text.removesuffix("\r\n" if text.endswith("\r\n") else "\n")
        elif self._mode == STRIP:
            text = text.rstrip()
        self._pass(text, start)
        return self._step.role != "value" or self._end_value(start + len(text))

    def _end_value(self, end: int) -> bool:
        """Ends a value at an offset; returns False if the driver has to judge it."""
        message = self._message
        text = self._source.slice(self._value_from, end)
        if self._streams:
            if (
                self._rules.by_shape
                and self._step.terminal.name == "RAW"
                and is_broken_json(text, message.schema())
            ):
                return False
            message.give('"')
            message.take_argument(text)
            return True
        value, fits = typed_value(message.spec, message.key, text, by_shape=self._rules.by_shape)
        if fits:
            message.take_argument(value)
            message.give(message.member() + json.dumps(value, ensure_ascii=False))
        return fits


def _waits(raw: RawEnd, text: str, start: int) -> bool:
    """Whether the text from an index on may still become a closer, and is not one yet."""
    begun = blanks.match(text, start).end()
    if not raw.beginnings.match(text, begun):
        return False
    # If the text after a closer decides about it, the closer alone does not end the wait.
    match = None if raw.looks_on else raw.search.match(text, begun)
    return match is None or not raw.closes(match)


@lru_cache(maxsize=256)
def _waiting(raw: RawEnd) -> ChunkMemo[bool]:
    """Returns a cache of `_waits` for short texts, after their first character."""
    return ChunkMemo(lambda text: _waits(raw, text, 1), most=256, longest=SHORT + 1)


def _may_be_held(text: str) -> bool:
    """Whether a text may be held back; the driver keeps long white space in pieces."""
    return len(text) <= _MOST_BLANKS_HELD or (len(text) <= MOST_HELD and not text.isspace())


@cache
def _without_blanks(plain: str, blanks: str) -> str:
    """Returns the expression of chunks that match `plain` and do not end with white space."""
    return rf"{plain}(?<![{blanks}])"

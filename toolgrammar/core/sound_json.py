"""Reads the arguments of a call that are one JSON object, while they stream, if they are sound.

What is given out is what the driver's own reader gives out: the body of a string at once, the
quote that closes it with the comma, the key and the colon when the next value begins. A string has
not ended before strict JSON goes on behind it.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

from toolgrammar.core.json_duplicates import unique_value
from toolgrammar.core.json_tokens import MAX_DEPTH
from toolgrammar.core.json_typing import needs_typing
from toolgrammar.core.json_whole import read_object, read_whole
from toolgrammar.core.lanes import OBJECTS
from toolgrammar.core.pieces import Pieces
from toolgrammar.core.scanners import call_scanner_for
from toolgrammar.core.sound_expressions import (
    BODY,
    FIRST_ITEM,
    FIRST_KEY,
    NEXT_ITEM,
    NEXT_KEY,
    SCALAR,
    SCALAR_BEGUN,
    sure,
)
from toolgrammar.core.sound_message import UNSOUND, WAITS, SoundMessage
from toolgrammar.values.making import make_arguments_delta

if TYPE_CHECKING:
    import re

    from toolgrammar.core.json_guide import Guide
    from toolgrammar.core.remembered import Remembered
    from toolgrammar.core.scanners import CallScanner
    from toolgrammar.core.steps import Step
    from toolgrammar.values.events import Event

_DEEPEST: Final = 100
"""Objects and arrays inside each other."""


class Frame:
    """An object or an array that is open."""

    __slots__ = ("guide", "is_object", "keys")

    def __init__(self, opener: str, guide: Guide | None) -> None:
        self.is_object = opener == "{"
        self.guide = guide
        """What the schema wants of it."""
        self.keys: set[str] = set()


class SoundJson(SoundMessage):
    """A message whose calls may have their arguments as JSON."""

    __slots__ = (
        "after_string",
        "frames",
        "payload",
        "payload_start",
        "runs_on",
        "scanner",
        "wanted",
        "written",
    )

    payload: Step
    payload_start: int
    """Offset where the payload begins."""
    written: Pieces
    """The JSON of arguments that are written otherwise."""
    scanner: CallScanner
    """What reads arguments that are no JSON."""
    runs_on: Remembered[str]
    """A chunk that only goes on in a string of theirs, as JSON."""
    frames: list[Frame]
    """The objects and arrays that are open."""
    wanted: Guide | None
    """What the schema wants of the number or literal that is read."""
    after_string: bool
    """Whether the last value that is no object and no array was a string."""

    def leave(self, step: Step, text: str, end: int) -> int:
        """Ends a payload at an index of the text; gives where to read on, or `UNSOUND`."""
        raise NotImplementedError

    def begin_json(self, step: Step, text: str, start: int) -> int:
        """Begins the arguments of a call at the bracket that opens them."""
        if self.arguments is not None or self.doubtful:
            return UNSOUND
        self._begin_arguments(step, text, start)
        self.frames = [Frame("{", self.guide)]
        self.at = start + 1
        self.read = self._first
        return start

    def _begin_arguments(self, step: Step, text: str, start: int) -> None:
        self.payload = step
        if not self.started:
            self.begin_call()
        self.payload_start = self.base + start
        if self.arguments_start < 0:
            self.arguments_start = self.payload_start

    def begin_json_value(self, step: Step, text: str, start: int) -> int:
        """Begins the value of an argument that is written as JSON."""
        if self.doubtful or not self.begin_value(self.base + start):
            return UNSOUND
        self.payload = step
        self.read = self._json_value
        return start

    def _json_value(self, text: str, start: int) -> int:
        """Reads a value of an argument, all of it at once."""
        found = read_whole(text, start, object_only=self.payload.terminal.name in OBJECTS)
        if found is None:
            return self.hold(text, start)
        value, end = found
        wanted = self.guide.member(self.key) if self.guide is not None else None
        if wanted is not None and needs_typing(value, wanted):
            return UNSOUND
        assert self.arguments is not None
        self.arguments[self.key] = value
        self.arguments_end = self.base + end
        self.doubtful = True
        self.give(self.member() + text[start:end])
        return self.leave(self.payload, text, end)

    def begin_scanned(self, step: Step, text: str, start: int) -> int:
        """Begins arguments that are written otherwise than in JSON."""
        if self.arguments is not None or self.doubtful:
            return UNSOUND
        scanner = call_scanner_for(step.terminal, self.spec, MAX_DEPTH, step)
        if scanner is None:
            return UNSOUND
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
            return UNSOUND
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
        elif self.hold(text, end) == UNSOUND:
            return None
        else:
            self.take = self._take_scanned
        if not out:
            return []
        piece = out[0] if len(out) == 1 else "".join(out)
        self.written.append(piece)
        self.given += len(piece)
        return [make_arguments_delta(self.index, piece)]

    def _take_scanned_string(self, chunk: str) -> list[Event] | None:
        """Takes a chunk in a string of such arguments, where nothing is held back."""
        piece = self.runs_on[chunk]
        if not piece:
            self.take = self._take_scanned
            self.scanner.passed(self.source.last)
            return self._take_scanned(chunk)
        source = self.source
        source.tail.append(chunk)
        source.room -= len(chunk)
        if source.room <= 0:
            if not source.settle():
                return None
            self.written.settle()
        self.written.tail.append(piece)
        self.given += len(piece)
        return [make_arguments_delta(self.index, piece)]

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
            return UNSOUND
        scanner = self.scanner
        if type(value) is not dict or scanner.doubt or scanner.mended or scanner.bare_text:
            return UNSOUND
        self.arguments = value
        self.arguments_end = self.base + end
        return self.leave(self.payload, text, end)

    def _first(self, text: str, sent: int) -> int:
        """Reads the first key or item behind a bracket; from `sent` on, nothing was given out."""
        wanted = FIRST_KEY if self.frames[-1].is_object else FIRST_ITEM
        match = wanted.match(text, self.at)
        if match is not None and match.lastindex == 3:
            self.after_string = False
        return self._member_or_end(match, text, sent)

    def _next(self, text: str, sent: int) -> int:
        """Reads what stands behind a value: the next key or item, or a closing bracket."""
        wanted = NEXT_KEY if self.frames[-1].is_object else NEXT_ITEM
        return self._member_or_end(wanted.match(text, self.at), text, sent)

    def _member_or_end(self, match: re.Match[str] | None, text: str, sent: int) -> int:
        """Goes on at a closing bracket, or at the key or item that stands before a value."""
        if match is None:
            return UNSOUND
        group = match.lastindex
        if group == 2:
            return self.hold(text, sent)
        return (self._value if group == 1 else self._close_bracket)(match, text, sent)

    def _close_bracket(self, closer: re.Match[str], text: str, sent: int) -> int:
        """Closes the innermost object or array."""
        frame = self.frames.pop()
        if (closer[3] == "}") != frame.is_object:
            return UNSOUND
        self.at = closer.end()
        if not self.frames:
            # A quote and brackets may stand in a string too: what follows them tells.
            self.doubtful = self.after_string
            return self._end(text, sent, closer.end())
        self.read = self._next
        return sent

    def _value(self, match: re.Match[str], text: str, sent: int) -> int:
        """Begins the value behind a key or a comma."""
        frame, start = self.frames[-1], match.end()
        wanted = frame.guide
        if not frame.is_object:
            wanted = wanted.item() if wanted is not None else None
        else:
            key = match[1]
            if key in frame.keys or (len(self.frames) == 1 and not self._is_taken(key)):
                return UNSOUND
            frame.keys.add(key)
            wanted = wanted.member(key) if wanted is not None else None
        first = text[start]
        if first == '"':
            if wanted is not None and not wanted.takes_text:
                return UNSOUND
            self.read = self._string
        elif first in "{[":
            if len(self.frames) >= _DEEPEST:
                return UNSOUND
            self.frames.append(Frame(first, wanted))
            self.at = start + 1
            self.read = self._first
        else:
            self.wanted = wanted
            self.at = start
            self.read = self._scalar
            return sent
        self.give(text[sent : start + 1])
        return start + 1

    def _is_taken(self, key: str) -> bool:
        """Whether an argument with this key is one of the call's."""
        return not self.rules.drops or self.spec is None or key in self.spec.properties

    def _scalar(self, text: str, sent: int) -> int:
        """Reads a number or a literal."""
        match = SCALAR.match(text, self.at)
        if match is None:
            begun = SCALAR_BEGUN.match(text, self.at)
            return UNSOUND if begun is None else self.hold(text, sent)
        if self.wanted is not None and needs_typing(json.loads(match[0]), self.wanted):
            return UNSOUND
        self.after_string = False
        self.at = match.end()
        self.read = self._next
        return sent

    def _string(self, text: str, start: int) -> int:
        """Reads the body of a string up to its end, or to that of the text."""
        match = BODY.match(text, start)
        assert match is not None  # it matches anywhere
        end = match.end()
        certain = end if match[1] is None else match.start(1)
        if certain > start:
            self.give(text[start:certain])
        if end == len(text):
            self.held = text[certain:]
            self.take = self._take_string
            return WAITS
        if text[end] != '"':
            return UNSOUND
        self.after_string = True
        self.at = end + 1
        self.read = self._next
        return certain

    def _take_string(self, chunk: str) -> list[Event] | None:
        """Takes a chunk in a string."""
        held = self.held
        text = held + chunk if held else chunk
        certain = sure[text]
        if certain < 0:
            return self.advance(chunk, text, 0)
        source = self.source
        source.tail.append(chunk)
        source.room -= len(chunk)
        if source.room <= 0 and not source.settle():
            return None
        if certain < len(text):
            self.held = text[certain:]
            if not certain:
                return []
            text = text[:certain]
        elif held:
            self.held = ""
        self.given += len(text)
        return [make_arguments_delta(self.index, text)]

    def _end(self, text: str, sent: int, end: int) -> int:
        """Ends the arguments behind their last bracket."""
        self.give(text[sent:end])
        stop = self.base + end
        written = self.source.slice(self.payload_start, stop)
        found = read_object(written, 0)
        if found is None or found[1] != len(written):
            return UNSOUND
        self.arguments = found[0]
        self.arguments_end = stop
        return self.leave(self.payload, text, end)

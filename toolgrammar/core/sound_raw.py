"""Reads raw payloads of a message that streams: values, reasoning, text, if they end soundly."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from toolgrammar.core.json_tokens import as_json
from toolgrammar.core.misspelt import NEAR, ends_with_closer
from toolgrammar.core.pieces import Pieces
from toolgrammar.core.shapes import may_be_json
from toolgrammar.core.sound_json import SoundJson
from toolgrammar.core.sound_message import MOST_HELD, UNSOUND, WAITS
from toolgrammar.core.straight_rules import repeats_rightly, typed_value
from toolgrammar.core.trim import NONE, ONE_NEWLINE, RIGHT, STRIP

if TYPE_CHECKING:
    from toolgrammar.core.raw_end import RawEnd
    from toolgrammar.core.steps import Step
    from toolgrammar.values.events import Event

_MODES = frozenset({NONE, ONE_NEWLINE, STRIP, RIGHT})
_PROSE = frozenset({"reasoning", "text", "content"})


class SoundRaw(SoundJson):
    """A message whose calls may have raw values."""

    raw: RawEnd
    mode: str
    began: bool
    """Whether what is trimmed in front is gone."""
    streams: bool
    """Whether the value is a string whatever it says, so that it need not wait for its end."""
    undecided: bool
    """Whether that waits for its first character."""
    typed: bool
    value: Pieces
    payload_start: int
    """Offset where the payload begins."""
    last: str
    """What was passed on last, for look-behinds."""

    def begin_raw(self, step: Step, text: str, start: int) -> int:
        """Begins a raw payload at an index of the text."""
        role = step.leaf
        if self.doubtful or (role != "value" and role not in _PROSE):
            return UNSOUND
        self.payload = step
        raw = self.raw = self.node.end_of_raw(step)
        before = self.previous is not None and "\n" in self.previous.terminal.trail
        usual = ONE_NEWLINE if before or raw.closes_line else NONE
        key = self.key if role == "value" else ""
        mode = self.mode = self.rules.trim.get(key) or self.rules.trim.get(role) or usual
        if mode not in _MODES:
            return UNSOUND
        self.began = mode in (NONE, RIGHT) or (mode == ONE_NEWLINE and not before and mode == usual)
        self.streams = True
        self.payload_start = self.source.length - len(text) + start
        if role == "value" and not self._begin_value(step):
            return UNSOUND
        self.read = self._look
        return start

    def _begin_value(self, step: Step) -> bool:
        if not self.begin_value(self.payload_start):
            return False
        self.typed = step.terminal.name == "RAW"
        self.undecided = self.typed and self.rules.by_shape
        self.value = Pieces()
        self.streams = not self.typed or self.guide is None or self.guide.is_text(self.key)
        if self.undecided:
            self.undecided = self.streams
            self.streams = False
        elif self.streams:
            self._open_string()
        return True

    def _open_string(self) -> None:
        """Gives out what stands before the text of a string."""
        self.give(f'{self.member()}"')

    def _take_raw(self, chunk: str) -> list[Event] | None:
        """Takes a chunk in a raw payload."""
        if (
            not self.held
            and self.began
            and self.raw.plain.fullmatch(chunk)
            and not chunk[-1].isspace()
            and not (self.rules.entities and "&" in chunk)
        ):
            self.steps += 1
            self.last = chunk
            self._pass(chunk)
            return self.told()
        before = self.last[-1:]
        sound = self.run(f"{before}{self.held}{chunk}", len(before))
        return self.told() if sound else None

    def _look(self, text: str, start: int) -> int:
        """Looks for the closer from an index on."""
        raw = self.raw
        if self.rules.entities and "&" in text:
            return UNSOUND
        match = raw.search.search(text, start)
        stop = len(text) if match is None else match.start()
        begun = raw.beginnings.search(text, max(start, len(text) - MOST_HELD))
        is_closer = match is not None and str(match.lastgroup).startswith("closer_")
        grows = begun is not None and (
            begun.start() < stop or (begun.start() == stop and (raw.looks_on or not is_closer))
        )
        if match is None or grows:
            stop = begun.start() if begun is not None else len(text)
            kept = text[start:stop]
            kept = kept.rstrip("\r\n") if self.mode in (NONE, ONE_NEWLINE) else kept.rstrip()
            held = start + len(kept)
            self.last = text[:held]
            self.held = text[held:]
            self.take = self._take_raw
            if kept and not self._begun(kept):
                return UNSOUND
            return WAITS if len(self.held) <= MOST_HELD else UNSOUND
        if not is_closer:
            return UNSOUND
        if raw.repeats and not repeats_rightly(match, self.written_name, self.written_key):
            return UNSOUND
        end = self.source.length - len(text) + stop
        if raw.call_closes_alone and ends_with_closer(
            self.source.slice(max(self.payload_start, end - NEAR), end)
        ):
            return UNSOUND
        if not self._end_raw(text[start:stop]):
            return UNSOUND
        if self.payload.leaf == "value":
            self.arguments_end = end
        return self.leave(self.payload, text, stop)

    def _begun(self, text: str) -> bool:
        """Passes a piece on that is not empty, without what is trimmed in front."""
        if not self.began:
            if text[0] == "\r":
                return False
            self.began = True
            text = text.lstrip() if self.mode == STRIP else text.removeprefix("\n")
        self._pass(text)
        return True

    def _pass(self, text: str) -> None:
        """Gives out more of the payload."""
        role = self.payload.leaf
        if role == "reasoning":
            self.reason(text)
        elif role != "value":
            self.say(text)
        elif text:
            self.value.append(text)
            if self.streams:
                self.give(as_json(text)[1:-1])
            elif self.undecided:
                self._decide()

    def _decide(self) -> None:
        """Lets a value stream once its first character shows that it is no JSON."""
        text = self.value.text()
        first = text.lstrip()[:1]
        self.undecided = not first
        schema = self.spec.properties.get(self.key) if self.spec is not None else None
        if first and not may_be_json(first, schema):
            self.streams = True
            self._open_string()
            self.give(as_json(text)[1:-1])

    def _end_raw(self, rest: str) -> bool:
        """Ends a raw payload with what of it was held back."""
        mode = self.mode
        if rest and not self.began:
            if rest[0] == "\r":
                return False
            rest = rest.lstrip() if mode == STRIP else rest.removeprefix("\n")
        if mode == ONE_NEWLINE:
            rest = rest.removesuffix("\r\n" if rest.endswith("\r\n") else "\n")
        elif mode != NONE:
            rest = rest.rstrip()
        self._pass(rest)
        if self.payload.leaf != "value":
            return True
        return self._end_value()

    def _end_value(self) -> bool:
        text = self.value.take()
        assert self.arguments is not None
        if self.streams:
            self.give('"')
            self.arguments[self.key] = text
            return True
        value, fits = typed_value(self.spec, self.key, text, by_shape=self.rules.by_shape)
        if fits:
            self.arguments[self.key] = value
            self.give(self.member() + json.dumps(value, ensure_ascii=False))
        return fits

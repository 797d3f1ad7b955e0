"""Reads raw payloads of a message that streams: values, reasoning, text, if they end as they should."""

from __future__ import annotations

import json
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from toolgrammar.core.machine.machine import SHORT
from toolgrammar.core.payloads.json.chunk_memo import ChunkMemo, in_strings, matching
from toolgrammar.core.payloads.json.shapes import is_broken_json, may_be_json
from toolgrammar.core.payloads.json.tokens import as_json
from toolgrammar.core.payloads.raw.named_end import end_of_raw
from toolgrammar.core.shortcuts.stream.stream_json import StreamJson
from toolgrammar.core.shortcuts.stream.stream_message import MOST_HELD, NEEDS_DRIVER, WAITS
from toolgrammar.core.shortcuts.whole.whole_rules import repeats_rightly, typed_value
from toolgrammar.core.state.doubts import NEAR, ends_with_closer
from toolgrammar.patterns.trim import NONE, ONE_NEWLINE, RIGHT, STRIP
from toolgrammar.values.events import ArgumentsDelta, ReasoningDelta, TextDelta
from toolgrammar.values.patterns import blanks

if TYPE_CHECKING:
    import re

    from toolgrammar.core.machine.machine import Step
    from toolgrammar.core.payloads.raw.raw_end import RawEnd
    from toolgrammar.values.events import Event

_MOST_BLANKS_HELD = 256
"""White space that is held back before the driver takes over."""
_MODES = frozenset({NONE, ONE_NEWLINE, STRIP, RIGHT})
_PROSE = frozenset({"reasoning", "text", "content"})


class StreamRaw(StreamJson):
    """A message whose calls may have raw values."""

    __slots__ = (
        "began",
        "blanks",
        "flows",
        "mode",
        "raw",
        "solid",
        "streams",
        "undecided",
        "value_from",
        "waiting",
    )

    raw: RawEnd
    mode: str
    began: bool
    """Whether what is trimmed in front is gone."""
    streams: bool
    """Whether the value is a string whatever it says, so that it need not wait for its end."""
    undecided: bool
    """Whether that waits for its first character."""
    value_from: int
    """Offset where the value begins, without what is trimmed; -1 before that is known."""
    waiting: ChunkMemo[bool]
    """Whether what is held back, behind a character before it, goes on to wait with a chunk."""
    flows: bool
    """Whether the payload is a value that is given out as it comes."""
    blanks: str | None
    """White space at the end of a chunk that may be trimmed; None for all of it."""
    solid: ChunkMemo[str]
    """A chunk that only goes on in a value and can be passed on at once, as JSON."""

    def begin_raw(self, step: Step, text: str, start: int) -> int:
        """Begins a raw payload at an index of the text."""
        role = step.leaf
        if self.doubtful or (role != "value" and role not in _PROSE):
            return NEEDS_DRIVER
        # A line end would have to be put between two messages, which has no place in the source.
        if self.rules.has_lines and (self.reasonings if role == "reasoning" else self.texts):
            return NEEDS_DRIVER
        self.payload = step
        raw = self.raw = end_of_raw(step)
        self.waiting = _waiting(raw)
        before = self.previous is not None and "\n" in self.previous.terminal.trail
        usual = ONE_NEWLINE if before or raw.closes_line else NONE
        key = self.key if role == "value" else ""
        mode = self.mode = self.rules.trim.get(key) or self.rules.trim.get(role) or usual
        # Other modes wait for the end of the value, or look at each of its lines.
        if mode not in _MODES:
            return NEEDS_DRIVER
        self.began = mode in (NONE, RIGHT) or (mode == ONE_NEWLINE and not before and mode == usual)
        # The same as in `RawChunks`: what may still be trimmed at the end waits.
        self.blanks = "\r\n" if mode in (NONE, ONE_NEWLINE) else None
        self.streams = True
        self.flows = False
        self.payload_start = self.base + start
        if role == "value" and not self._begin_value(step):
            return NEEDS_DRIVER
        self.read = self._look
        return start

    def _begin_value(self, step: Step) -> bool:
        # The driver doubts what should have been JSON.
        if step.is_fallback or not self.begin_value(self.payload_start):
            return False
        typed = step.terminal.name == "RAW"
        self.undecided = typed and self.rules.by_shape
        self.value_from = -1
        self.streams = not typed or self.guide is None or self.guide.is_text(self.key)
        if self.undecided:
            # A value that the schema types waits for its end; any other shows by its first
            # character.
            self.undecided = self.streams
            self.streams = False
        elif self.streams:
            self._open_string()
        return True

    def _open_string(self) -> None:
        """Emits what stands before the text of a string."""
        self.give(f'{self.member()}"')

    def _take_raw(self, chunk: str) -> list[Event] | None:
        """Takes a chunk in a raw payload."""
        # One character before, for look-behinds.
        before, held = self.last[-1:], self.held
        start = len(before)
        text = f"{before}{held}{chunk}"
        if self.passing is not None:
            self.settle()
        if not self.source.append(chunk):
            return None
        raw = self.raw
        # What is held goes on to wait with this chunk: nothing else has to be looked at.
        if held and (self.waiting[text] if before else _waits(raw, text, 0)):
            held = self.held = held + chunk
            return self.told() if _may_be_held(held) else None
        match = raw.find(text, start)
        # The quick way: a part that only goes on is given out without a round of `run`.
        if self.flows and (match is None or not is_closer(match)):
            tail = raw.beginnings.search(text, max(start, len(text) - MOST_HELD))
            stop = len(text) if tail is None else tail.start()
            if match is None or match.start() >= stop:
                return self._flow(text, start, stop)
        self.base = self.source.length - len(text)
        return self.told() if self.run(text, self._judge_raw(match, text, start)) else None

    def _flow(self, text: str, start: int, stop: int) -> list[Event] | None:
        """Emits a part of a value that is a string, in which nothing ends."""
        kept = text[start:stop].rstrip(self.blanks)
        self.held = held = text[start + len(kept) :]
        # With nothing held back, the next chunk needs one look-up.
        if not held:
            self.take = self._take_value
        if not kept:
            return [] if _may_be_held(held) else None
        self.last = kept
        piece = as_json(kept)[1:-1]
        self.given += len(piece)
        return [ArgumentsDelta(self.index, piece)]

    def _take_value(self, chunk: str) -> list[Event] | None:
        """Takes a chunk in a raw value that is a string, where nothing is held back."""
        piece = self.solid[chunk]
        if not piece:
            self.take = self._take_raw
            return self._take_raw(chunk)
        if not self.source.append(chunk):
            return None
        self.last = chunk
        self.given += len(piece)
        return [ArgumentsDelta(self.index, piece)]

    def _pass_on(self) -> None:
        """Takes the next chunks; where nothing is held back and all is certain, at once."""
        self.take = self._take_raw
        role, is_free = self.payload.leaf, self.began and not self.rules.has_raw_entities
        raw = self.raw
        # A closer may begin with white space: then none at the end is sure.
        held = r"\s" if self.blanks is None or raw.solid is not None else self.blanks
        solid = _without_blanks(raw.solid_plain.pattern, held)
        self.solid = in_strings(solid)
        self.flows = is_free and role == "value" and self.streams and self.value_from >= 0
        if self.held or not is_free:
            return
        if role == "reasoning":
            self.pass_on(self.reasonings, matching(solid), ReasoningDelta)
        elif role != "value":
            self.pass_on(self.texts, matching(solid), TextDelta)
        elif self.flows:
            self.take = self._take_value

    def _look(self, text: str, start: int) -> int:
        """Looks for the closer from an index on."""
        return self._judge_raw(self.raw.find(text, start), text, start)

    def _judge_raw(self, match: re.Match[str] | None, text: str, start: int) -> int:
        """Ends a payload at what was found in it, or passes on what is sure of it."""
        raw = self.raw
        # An entity may be cut by a chunk, and is decoded by the driver.
        if self.rules.has_raw_entities and "&" in text:
            return NEEDS_DRIVER
        stop = len(text) if match is None else match.start()
        closes = match is not None and is_closer(match)
        begun = None
        if not closes or raw.looks_on or not raw.is_plain(text, start, stop):
            begun = raw.beginnings.search(text, max(start, len(text) - MOST_HELD))
        # What was found is not final if something longer may begin before it, or at its place.
        grows = begun is not None and (
            begun.start() < stop or (begun.start() == stop and (raw.looks_on or not closes))
        )
        if match is None or grows:
            stop = begun.start() if begun is not None else len(text)
            kept = text[start:stop].rstrip(self.blanks)
            held = start + len(kept)
            self.last = text[held - 1 : held] if held else ""
            self.held = text[held:]
            if kept and not self._begun(kept, self.base + start):
                return NEEDS_DRIVER
            self._pass_on()
            return WAITS if _may_be_held(self.held) else NEEDS_DRIVER
        return self._close_raw(match, text, start) if closes else NEEDS_DRIVER

    def _close_raw(self, match: re.Match[str], text: str, start: int) -> int:
        """Ends the payload before its closer."""
        raw, stop = self.raw, match.start()
        end = self.base + stop
        if raw.repeats and not repeats_rightly(match, self.written_name, self.written_key):
            return NEEDS_DRIVER
        if raw.call_closes_alone and ends_with_closer.search(
            self.source.slice(max(self.payload_start, end - NEAR), end)
        ):
            return NEEDS_DRIVER
        whole = self.source.slice(self.payload_start, end)
        # Looked for once the value is whole; what was given out of it stays the same in the driver.
        if raw.marks.damaged(whole, self.written_name, self.written_key) is not None:
            return NEEDS_DRIVER
        if not self._end_raw(text[start:stop], self.base + start):
            return NEEDS_DRIVER
        if self.payload.leaf == "value":
            self.arguments_end = end
        return self.leave(self.payload, text, stop)

    def _begun(self, text: str, start: int) -> bool:
        """Passes a piece on that is not empty, without what is trimmed in front."""
        whole = text
        if not self.began:
            # `\r\n` may be cut by a chunk: the driver's trimmer decides.
            if text[0] == "\r":
                return False
            self.began = True
            text = text.lstrip() if self.mode == STRIP else text.removeprefix("\n")
        self._pass(text, start + len(whole) - len(text))
        return True

    def _pass(self, text: str, start: int) -> None:
        """Emits more of the payload, which begins at an offset."""
        role = self.payload.leaf
        if role == "reasoning":
            self.reason(text, start)
        elif role != "value":
            self.say(text, start)
        else:
            if self.value_from < 0:
                self.value_from = start
            if text and self.streams:
                self.give(as_json(text)[1:-1])
            elif text and self.undecided:
                self._decide(start + len(text))

    def _decide(self, end: int) -> None:
        """Lets a value stream once its first character shows that it is no JSON."""
        text = self.source.slice(self.value_from, end)
        first = text.lstrip()[:1]
        self.undecided = not first
        schema = self.spec.properties.get(self.key) if self.spec is not None else None
        if first and not may_be_json(first, schema):
            self.streams = True
            self._open_string()
            self.give(as_json(text)[1:-1])

    def _end_raw(self, rest: str, start: int) -> bool:
        """Ends a raw payload with what of it was held back, from an offset on."""
        mode, held = self.mode, rest
        if rest and not self.began:
            if rest[0] == "\r":
                return False
            rest = rest.lstrip() if mode == STRIP else rest.removeprefix("\n")
        start += len(held) - len(rest)
        if mode == ONE_NEWLINE:
            # Only one line end is layout; another before it belongs to the value.
            rest = rest.removesuffix("\r\n" if rest.endswith("\r\n") else "\n")
        elif mode != NONE:
            rest = rest.rstrip()
        self._pass(rest, start)
        return self.payload.leaf != "value" or self._end_value(start + len(rest))

    def _end_value(self, end: int) -> bool:
        assert self.arguments is not None
        text = self.source.slice(self.value_from, end)
        if self.streams:
            schema = self.spec.properties.get(self.key) if self.spec is not None else None
            if (
                self.rules.by_shape
                and self.payload.terminal.name == "RAW"
                and is_broken_json(text, schema)
            ):
                return False
            self.give('"')
            self.arguments[self.key] = text
            return True
        value, fits = typed_value(self.spec, self.key, text, by_shape=self.rules.by_shape)
        if fits:
            self.arguments[self.key] = value
            self.give(self.member() + json.dumps(value, ensure_ascii=False))
        return fits


def is_closer(match: re.Match[str]) -> bool:
    """Whether what was found in a raw payload is its own closer."""
    return str(match.lastgroup).startswith("closer_")


def _waits(raw: RawEnd, text: str, start: int) -> bool:
    """Whether a text may still become the closer, or ends in what may, and is none yet."""
    begun = blanks.match(text, start).end()
    if not raw.beginnings.match(text, begun):
        return False
    # Where what follows a closer decides about it, the closer alone never ends the wait.
    match = None if raw.looks_on else raw.search.match(text, begun)
    return match is None or not is_closer(match)


@lru_cache(maxsize=256)
def _waiting(raw: RawEnd) -> ChunkMemo[bool]:
    """Says of short texts whether they wait behind their first character, as `_waits` does."""
    return ChunkMemo(lambda text: _waits(raw, text, 1), most=256, longest=SHORT + 1)


def _may_be_held(text: str) -> bool:
    """Whether that much may be held back: the driver keeps long runs of white space in pieces."""
    return len(text) <= _MOST_BLANKS_HELD or (len(text) <= MOST_HELD and not text.isspace())


@cache
def _without_blanks(plain: str, blanks: str) -> str:
    """Writes the expression of chunks that `plain` matches and white space does not end."""
    return rf"{plain}(?<![{blanks}])"

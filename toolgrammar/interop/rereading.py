"""Reads calls that a server left as text in a message or stream of its API.

A `TextDelta` that contains the markup of a call, which the server did not read, is replaced by
the text around it, a `CallStart`, its arguments and a `CallEnd`.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from toolgrammar.core.message.without_prefix import event_without_prefix
from toolgrammar.parsing.parser import Parser
from toolgrammar.values.events import (
    ArgumentsDelta,
    CallEnd,
    CallStart,
    Event,
    InputDelta,
    Problem,
    ReasoningDelta,
    TextDelta,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from toolgrammar.values.calls import ParseResult


class Reread:
    """Turns the events of a message into those of the same message with its calls read.

    Calls that the server did read stay; all get new places, in the order in which they begin.
    """

    def __init__(self, format: Any, tools: Iterable[object] | None) -> None:
        self._new_parser = partial(Parser, format, tools=tools)
        self._parser = self._new_parser()
        self._ended: list[ParseResult] = []
        """The texts that have ended, of which there are some where other blocks stand between."""
        self._start = 0
        """The offset of the text that is being read in all texts together."""
        # By the text in which a call stands, -1 for the server's own, and its index: the calls of
        # each are counted from 0.
        self._places: dict[tuple[int, int], int] = {}
        self._ids: dict[str, tuple[int, int]] = {}
        """By its id, the first call that has it: a later one gets another from who writes it."""

    def feed(self, event: Event) -> list[Event]:
        """Returns what one event becomes."""
        # Only text may hold calls: what the server read as reasoning or as a call is left alone.
        if isinstance(event, TextDelta):
            return self._moved(self._parser.feed(event.text))
        return [self._placed(event, -1)]

    def end_text(self) -> list[Event]:
        """Returns what comes at the end of a text, behind which another one begins."""
        events = self.close(None)
        self._ended.append(self._parser.result)
        self._start += len(self._parser.result.source)
        self._parser = self._new_parser()
        return events

    def close(self, reason: str | None) -> list[Event]:
        """Returns what comes at the end; `reason` is why the server stopped."""
        return self._moved(self._parser.close(reason))

    @property
    def found(self) -> bool:
        """Whether a call stood in the text."""
        return any(number >= 0 for number, _ in self._places)

    @property
    def result(self) -> ParseResult:
        """The result of the text alone, at the end; of several texts, that of the one with calls."""
        every = [*self._ended, self._parser.result]
        main = next((each for each in every if each.calls), every[-1])
        return replace(main, source="".join(each.source for each in every))

    def _moved(self, events: Iterable[Event]) -> list[Event]:
        """Returns the events of the text that is read; places are counted from the first text on."""
        number = len(self._ended)
        # What shifts places towards the beginning shifts them away from it by a negative offset.
        shifted = (event_without_prefix(each, -self._start) for each in events)
        return [self._placed(each, number) for each in shifted]

    def _placed(self, event: Event, number: int) -> Event:
        """Returns an event of a text, or of the server's own, with the place of its call."""
        # These belong to no call.
        if isinstance(event, TextDelta | ReasoningDelta | Problem):
            return event
        key = number, event.index
        if isinstance(event, CallStart):
            self._places[key] = len(self._places)
            is_own = event.id is None or self._ids.setdefault(event.id, key) == key
            return CallStart(self._places[key], event.name, event.id if is_own else None)
        place = self._places[key]
        if isinstance(event, ArgumentsDelta):
            return ArgumentsDelta(place, event.json)
        if isinstance(event, InputDelta):
            return InputDelta(place, event.text)
        call = event.call
        if call.id is not None and self._ids.setdefault(call.id, key) != key:
            call = replace(call, id=None)
        return CallEnd(place, call)

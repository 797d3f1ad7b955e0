"""Reads calls that a server left as text in a message or stream of its API.

A `TextDelta` that contains the markup of a call, which the server did not read, is replaced by
the text around it, a `CallStart`, its arguments and a `CallEnd`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

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
        self._parser = Parser(format, tools=tools)
        # By who read the call and its index: the calls of the server, and those in the text, are
        # each counted from 0.
        self._places: dict[tuple[bool, int], int] = {}

    def feed(self, event: Event) -> list[Event]:
        """Returns what one event becomes."""
        # Only text may hold calls: what the server read as reasoning or as a call is left alone.
        if isinstance(event, TextDelta):
            return [self._placed(each, own=False) for each in self._parser.feed(event.text)]
        return [self._placed(event, own=True)]

    def close(self, reason: str | None) -> list[Event]:
        """Returns what comes at the end; `reason` is why the server stopped."""
        return [self._placed(each, own=False) for each in self._parser.close(reason)]

    @property
    def found(self) -> bool:
        """Whether a call stood in the text."""
        return any(not own for own, _ in self._places)

    @property
    def result(self) -> ParseResult:
        """What was read of the text alone, at the end."""
        return self._parser.result

    def _placed(self, event: Event, *, own: bool) -> Event:
        """Returns an event with the place of its call in the new message."""
        # These belong to no call.
        if isinstance(event, TextDelta | ReasoningDelta | Problem):
            return event
        key = own, event.index
        if isinstance(event, CallStart):
            self._places[key] = len(self._places)
            return CallStart(self._places[key], event.name, event.id)
        place = self._places[key]
        if isinstance(event, ArgumentsDelta):
            return ArgumentsDelta(place, event.json)
        if isinstance(event, InputDelta):
            return InputDelta(place, event.text)
        return CallEnd(place, event.call)

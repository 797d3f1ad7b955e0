"""Drops those events of the driver that the shortcut had emitted before it gave up.

Example: `Hel` was emitted, and the driver reads `Hello` from the beginning, so only `lo` is new.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgrammar.values.events import (
    ArgumentsDelta,
    CallEnd,
    CallStart,
    Event,
    ReasoningDelta,
    TextDelta,
)

if TYPE_CHECKING:
    from toolgrammar.core.shortcuts.stream.stream_message import StreamMessage


class GivenOut:
    """The counts of a message's emitted events; both readings emit them in the same order."""

    def __init__(self, message: StreamMessage) -> None:
        self.text = len(message.texts)
        self.reasoning = len(message.reasonings)
        self.ended = len(message.calls)
        """The number of calls whose `CallEnd` was emitted."""
        # At most one call is open.
        self.started = self.ended + message.started
        """The number of calls whose `CallStart` was emitted."""
        self.arguments = [*message.given_before, message.given]
        """For each of these calls, the number of characters of its arguments."""
        # Events that wait are included in these counts, but were not emitted.
        for event in message.events:
            self._take_back(event)

    def _take_back(self, event: Event) -> None:
        """Subtracts an event that was made but not emitted."""
        if isinstance(event, TextDelta):
            self.text -= len(event.text)
        elif isinstance(event, ReasoningDelta):
            self.reasoning -= len(event.text)
        elif isinstance(event, ArgumentsDelta):
            self.arguments[event.index] -= len(event.json)
        elif isinstance(event, CallStart):
            self.started -= 1
        elif isinstance(event, CallEnd):
            self.ended -= 1

    def new(self, events: list[Event]) -> list[Event]:
        """Returns the part of the next events that was not emitted."""
        found: list[Event] = []
        for event in events:
            kept = self._rest(event)
            if kept is not None:
                found.append(kept)
        return found

    def _rest(self, event: Event) -> Event | None:
        """Returns the part of an event that was not emitted; None if all of it was."""
        if isinstance(event, TextDelta):
            self.text, text = _without(event.text, self.text)
            return TextDelta(text) if text else None
        if isinstance(event, ReasoningDelta):
            self.reasoning, text = _without(event.text, self.reasoning)
            return ReasoningDelta(text) if text else None
        if isinstance(event, CallStart):
            # Both readings find the same calls in the same order, so an index identifies a call.
            return event if event.index >= self.started else None
        if isinstance(event, CallEnd):
            return event if event.index >= self.ended else None
        if isinstance(event, ArgumentsDelta) and event.index < len(self.arguments):
            count = self.arguments[event.index]
            self.arguments[event.index], json = _without(event.json, count)
            return ArgumentsDelta(event.index, json) if json else None
        # Diagnostics, which the shortcut never emits, and arguments of later calls are new.
        return event


def _without(text: str, count: int) -> tuple[int, str]:
    """Returns the rest of a count, and a text without its first `count` characters."""
    return max(0, count - len(text)), text[count:]

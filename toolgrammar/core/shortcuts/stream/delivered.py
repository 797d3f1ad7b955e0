"""Drops from the events of the driver what the shortcut had given out before it gave up.

Example: `Hel` was given out, and the driver reads `Hello` from the beginning: `lo` is new.
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
    """What of a message was given out, counted: its events come in one order."""

    def __init__(self, message: StreamMessage) -> None:
        self.text = len(message.texts)
        self.reasoning = len(message.reasonings)
        self.ended = len(message.calls)
        """Calls whose end was given out."""
        # At most one call is open.
        self.started = self.ended + message.started
        """Calls whose beginning was given out."""
        self.arguments = [*message.given_before, message.given]
        """Of each of them, the characters of the arguments."""
        # Events that wait were counted with the rest, and were not given out.
        for event in message.events:
            self._take_back(event)

    def _take_back(self, event: Event) -> None:
        """Counts an event off that was made and waits."""
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
        """Returns what of the next events was not given out."""
        found: list[Event] = []
        for event in events:
            kept = self._rest(event)
            if kept is not None:
                found.append(kept)
        return found

    def _rest(self, event: Event) -> Event | None:
        if isinstance(event, TextDelta):
            self.text, text = _without(event.text, self.text)
            return TextDelta(text) if text else None
        if isinstance(event, ReasoningDelta):
            self.reasoning, text = _without(event.text, self.reasoning)
            return ReasoningDelta(text) if text else None
        if isinstance(event, CallStart):
            # Both readings give the same calls in one order, so their numbers tell.
            return event if event.index >= self.started else None
        if isinstance(event, CallEnd):
            return event if event.index >= self.ended else None
        if isinstance(event, ArgumentsDelta) and event.index < len(self.arguments):
            count = self.arguments[event.index]
            self.arguments[event.index], json = _without(event.json, count)
            return ArgumentsDelta(event.index, json) if json else None
        # Diagnostics, which the sound reading never gives, and arguments of later calls are new.
        return event


def _without(text: str, count: int) -> tuple[int, str]:
    """Returns what is left of a count, and of a text without so many characters."""
    return max(0, count - len(text)), text[count:]

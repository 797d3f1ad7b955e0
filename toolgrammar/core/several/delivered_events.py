"""Compares the events of two readings of one text: what was given out, and what is still to come.

Example: the deltas `Hel` and `lo` are the same as `Hello`; behind `Hel`, `lo` is to come.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgrammar.values.events import ArgumentsDelta, InputDelta, ReasoningDelta, TextDelta

if TYPE_CHECKING:
    from collections.abc import Iterable

    from toolgrammar.values.events import Event


class Given:
    """How much of an island was given out, however the stream cut it."""

    __slots__ = ("_last", "events", "length")

    def __init__(self) -> None:
        self.events = 0
        """Events, neighbouring deltas of a kind counted as one."""
        self.length = 0
        """Characters of the last, where it is a delta."""
        self._last: tuple[object, ...] = ()

    def count(self, events: Iterable[Event]) -> None:
        """Counts what is given out."""
        for event in events:
            kind, size = _kind(event)
            # A delta that goes on where the last one stopped is one event with it, however it was
            # cut.
            if kind and kind == self._last:
                self.length += size
            else:
                self.events += 1
                self.length = size
            self._last = kind

    def rest(self, events: list[Event]) -> list[Event]:
        """Gives what of joined events was not given out yet."""
        # More events than these were given out: nothing of them is left.
        if not self.events or self.events > len(events):
            return events if not self.events else []
        last = events[self.events - 1]
        cut = _without(last, self.length) if self._last else None
        return ([] if cut is None else [cut]) + events[self.events :]


def _kind(event: Event) -> tuple[tuple[object, ...], int]:
    """Returns what tells whether two deltas join, empty for what is no delta, and the length."""
    if isinstance(event, TextDelta | ReasoningDelta):
        return (type(event),), len(event.text)
    # The deltas of two calls never join.
    if isinstance(event, InputDelta):
        return (type(event), event.index), len(event.text)
    if isinstance(event, ArgumentsDelta):
        return (type(event), event.index), len(event.json)
    return (), 0


def _without(event: Event, length: int) -> Event | None:
    """Returns a delta without its first characters; None where nothing is left."""
    if isinstance(event, TextDelta | ReasoningDelta):
        return type(event)(event.text[length:]) if len(event.text) > length else None
    if isinstance(event, InputDelta):
        return InputDelta(event.index, event.text[length:]) if len(event.text) > length else None
    if isinstance(event, ArgumentsDelta):
        rest = event.json[length:]
        return ArgumentsDelta(event.index, rest) if rest else None
    return None


def joined(events: list[Event]) -> list[Event]:
    """Joins neighbouring deltas of a kind."""
    result: list[Event] = []
    for event in events:
        last = result[-1] if result else None
        both = None if last is None else _both(last, event)
        if both is None:
            result.append(event)
        else:
            result[-1] = both
    return result


def _both(first: Event, second: Event) -> Event | None:
    """Joins two deltas of a kind; None where they are none."""
    if isinstance(first, TextDelta) and isinstance(second, TextDelta):
        return TextDelta(first.text + second.text)
    if isinstance(first, ReasoningDelta) and isinstance(second, ReasoningDelta):
        return ReasoningDelta(first.text + second.text)
    if isinstance(first, ArgumentsDelta) and isinstance(second, ArgumentsDelta):
        return ArgumentsDelta(first.index, first.json + second.json)
    if isinstance(first, InputDelta) and isinstance(second, InputDelta):
        return InputDelta(first.index, first.text + second.text)
    return None


def begins_with(given: list[Event], events: list[Event]) -> bool:
    """Whether joined events begin with others; the last of these may be the beginning of one."""
    if not given:
        return True
    last = len(given) - 1
    # Only the last one given out can have grown since.
    if len(events) <= last or events[:last] != given[:last]:
        # There are fewer events, or others, than were given out.
        return False
    return events[last] == given[last] or _begins(events[last], given[last])


def _begins(whole: Event, beginning: Event) -> bool:
    kind, length = _kind(beginning)
    # Only deltas have beginnings: `CallStart` is there or not.
    if not kind or _kind(whole)[0] != kind:
        return False
    rest = _without(whole, length)
    return rest is not None and _both(beginning, rest) == whole


def behind(given: list[Event], events: list[Event]) -> list[Event]:
    """Gives the events behind those that were given out already."""
    if not given:
        return events
    count = Given()
    count.count(given)
    return count.rest(joined(events))

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

    def __init__(self) -> None:
        self.events = 0
        """Events, neighbouring deltas of a kind counted as one."""
        self.length = 0
        """Characters of the last, where it is a delta."""
        self._last: tuple[object, ...] = ()

    def count(self, events: Iterable[Event]) -> None:
        """Counts what is given out."""
        for event in events:
            kind, text = _delta(event)
            # A delta that goes on where the last one stopped is one event with it, however it was
            # cut.
            if kind and kind == self._last:
                self.length += len(text)
            else:
                self.events += 1
                self.length = len(text)
            self._last = kind

    def rest(self, events: list[Event]) -> list[Event]:
        """Returns what of joined events was not given out yet."""
        # More events than these were given out: nothing of them is left.
        if not self.events or self.events > len(events):
            return events if not self.events else []
        last = events[self.events - 1]
        rest = _delta(last)[1][self.length :] if self._last else ""
        return ([_with_text(last, rest)] if rest else []) + events[self.events :]


def _delta(event: Event) -> tuple[tuple[object, ...], str]:
    """Returns what tells whether two deltas join, empty for what is no delta, and the text."""
    if isinstance(event, TextDelta | ReasoningDelta):
        return (type(event),), event.text
    # The deltas of two calls never join.
    if isinstance(event, InputDelta):
        return (type(event), event.index), event.text
    if isinstance(event, ArgumentsDelta):
        return (type(event), event.index), event.json
    return (), ""


def _with_text(event: Event, text: str) -> Event:
    """Returns a delta with another text; what is no delta stays as it is."""
    if isinstance(event, TextDelta | ReasoningDelta):
        return type(event)(text)
    if isinstance(event, InputDelta | ArgumentsDelta):
        return type(event)(event.index, text)
    return event


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
    (kind, text), (other, more) = _delta(first), _delta(second)
    return _with_text(first, text + more) if kind == other != () else None


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
    """Whether a delta goes on with the text of another one."""
    (kind, text), (other, begun) = _delta(whole), _delta(beginning)
    # Only deltas have beginnings: `CallStart` is there or not.
    return kind == other != () and text.startswith(begun)


def behind(given: list[Event], events: list[Event]) -> list[Event]:
    """Returns the events behind those that were given out already."""
    if not given:
        return events
    count = Given()
    count.count(given)
    return count.rest(joined(events))

"""Compares the events of two readings of one text: those that were emitted, and those to come.

Example: the deltas `Hel` and `lo` equal the delta `Hello`; after `Hel` was emitted, `lo` is to
come.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgrammar.values.events import ArgumentsDelta, InputDelta, ReasoningDelta, TextDelta

if TYPE_CHECKING:
    from collections.abc import Iterable

    from toolgrammar.values.events import Event


class Given:
    """The count of an island's emitted events, which does not depend on how the stream was cut."""

    def __init__(self) -> None:
        self.events = 0
        """The number of events; neighbouring deltas of a kind count as one."""
        self.length = 0
        """The number of characters of the last one, if it is a delta."""
        self._last: tuple[object, ...] = ()

    def count(self, events: Iterable[Event]) -> None:
        """Counts events that are emitted."""
        for event in events:
            kind, text = _delta(event)
            # A delta of the same kind as the last one counts as one event with it, however the
            # stream was cut.
            if kind and kind == self._last:
                self.length += len(text)
            else:
                self.events += 1
                self.length = len(text)
            self._last = kind

    def rest(self, events: list[Event]) -> list[Event]:
        """Returns the part of joined events that was not emitted yet."""
        # If more events than these were emitted, none of them is left.
        if not self.events or self.events > len(events):
            return events if not self.events else []
        last = events[self.events - 1]
        rest = _delta(last)[1][self.length :] if self._last else ""
        return ([_with_text(last, rest)] if rest else []) + events[self.events :]


def _delta(event: Event) -> tuple[tuple[object, ...], str]:
    """Returns the kind of a delta, by which deltas join, and its text; both empty for others."""
    if isinstance(event, TextDelta | ReasoningDelta):
        return (type(event),), event.text
    # The kind has the index of the call, since the deltas of two calls never join.
    if isinstance(event, InputDelta):
        return (type(event), event.index), event.text
    if isinstance(event, ArgumentsDelta):
        return (type(event), event.index), event.json
    return (), ""


def _with_text(event: Event, text: str) -> Event:
    """Returns a delta with another text, and any other event unchanged."""
    if isinstance(event, TextDelta | ReasoningDelta):
        return type(event)(text)
    if isinstance(event, InputDelta | ArgumentsDelta):
        return type(event)(event.index, text)
    return event


def joined(events: list[Event]) -> list[Event]:
    """Returns events with neighbouring deltas of a kind joined."""
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
    """Returns two deltas of a kind as one; None if they do not join."""
    (kind, text), (other, more) = _delta(first), _delta(second)
    return _with_text(first, text + more) if kind == other != () else None


def begins_with(given: list[Event], events: list[Event]) -> bool:
    """Whether joined events begin with given ones, of which the last may be incomplete."""
    if not given:
        return True
    last = len(given) - 1
    # Only the last one that was emitted can have grown since.
    if len(events) <= last or events[:last] != given[:last]:
        # There are fewer events than were emitted, or other ones.
        return False
    return events[last] == given[last] or _begins(events[last], given[last])


def _begins(whole: Event, beginning: Event) -> bool:
    """Whether the text of a delta begins with that of another one of its kind."""
    (kind, text), (other, begun) = _delta(whole), _delta(beginning)
    # Only deltas have beginnings; a `CallStart` is either there or not.
    return kind == other != () and text.startswith(begun)


def behind(given: list[Event], events: list[Event]) -> list[Event]:
    """Returns the events after those that were emitted already."""
    if not given:
        return events
    count = Given()
    count.count(given)
    return count.rest(joined(events))

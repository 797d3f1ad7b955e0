"""Collects the events of a message until they are emitted.

Example: the problems of `<tool_call>{name: "f"` wait until the call is certain, since its opener
may still turn out to be text; they are emitted before its `CallStart`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from toolgrammar.core.message.draft import Draft
    from toolgrammar.values.events import Event


class EventQueue:
    """Events in the order of the text; it collects none unless it is `listening`."""

    def __init__(self, *, listening: bool) -> None:
        self.listening = listening
        self.events: list[Event] = []
        self.waiting: list[Event] = []
        """Problems of an island that is not certain yet."""
        self.is_certain = True
        """Whether no island is open that may be taken back."""

    def add(self, event: Event) -> None:
        """Emits an event of the message."""
        if self.listening:
            self.events.append(event)

    def extend(self, events: Iterable[Event]) -> None:
        """Emits several events."""
        if self.listening:
            self.events.extend(events)

    def add_of_call(self, draft: Draft, event: Event) -> None:
        """Emits an event of a call, or keeps it until the call is certain."""
        if not self.listening:
            return
        # The order matters: an argument that may be a wrapper is held back even after the call has
        # started.
        if draft.wrapper_events is not None:
            draft.wrapper_events.append(event)
        elif draft.started:
            self.events.append(event)
        else:
            draft.events.append(event)

    def add_problem(self, draft: Draft | None, event: Event) -> None:
        """Emits a problem of the open call, or of the message if no call is open."""
        if not self.listening:
            return
        # A problem comes after the `CallStart` of its call, which is not emitted yet.
        if draft is not None and not draft.started:
            draft.events.append(event)
        # No call is open, but the island may still be given back as text, and its problems are then
        # dropped.
        elif not self.is_certain:
            self.waiting.append(event)
        else:
            self.events.append(event)

    def begin_island(self) -> None:
        """Lets problems wait from now on, since the open island may be taken back."""
        self.is_certain = False

    def forget_island(self) -> None:
        """Drops the problems that waited: the island is text."""
        self.waiting, self.is_certain = [], True

    def make_certain(self) -> None:
        """Makes the island final and emits its problems, which stand before the call's name."""
        self.is_certain = True
        if self.waiting:
            self.events.extend(self.waiting)
            self.waiting = []

    def take(self) -> list[Event]:
        """Returns the events so far and removes them from the queue."""
        events, self.events = self.events, []
        return events

    def put(self, events: list[Event]) -> None:
        """Replaces the events so far."""
        self.events = events

    def listen(self, *, listening: bool) -> None:
        """Sets whether events are collected."""
        self.listening = listening

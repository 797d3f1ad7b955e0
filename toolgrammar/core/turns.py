"""Doubts calls of a message in which the model also plays the turns that come after it.

A model that is not stopped goes on as the conversation would: it writes the result of its call,
calls again because of it, and answers. The header's `observation` and `answer` name the terminals
that begin such turns.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, TypeGuard

from toolgrammar.values.events import CallEnd, Problem
from toolgrammar.values.spans import Span

if TYPE_CHECKING:
    from collections.abc import Container

    from toolgrammar.core.build import Builder
    from toolgrammar.core.draft import Draft
    from toolgrammar.values.events import Event


_LATE = frozenset({"final-answer", "quoted-call"})
"""Codes of doubts that come when the message has ended."""


class Turns:
    """The other turns of a message, up to a place in it."""

    __slots__ = (
        "answer_start",
        "answered",
        "awaiting",
        "code",
        "fence",
        "fenced",
        "inline",
        "is_open",
        "observed",
    )

    def __init__(self) -> None:
        self.observed = False
        """Whether the model wrote the result of a tool."""
        self.answered = 0
        """How many calls there were before the last final answer."""
        self.answer_start = -1
        """Offset where that answer begins, or -1."""
        self.awaiting: list[int] = []
        """The calls, by number, that what follows may put into doubt: a final answer, or more than
        the end of the block of code that they stand in."""
        self.fence = -1
        """Offset of what the block of code holds that the open island stands in, or -1."""
        self.fenced: dict[int, int] = {}
        """The calls in such blocks, with those offsets."""
        self.code = -1
        """Offset of the last opener in inline code, or -1."""
        self.inline = -1
        """Offset behind the first opener that was taken for a quoted one, or -1."""
        self.is_open = False
        """Whether a call that could not be read, or lacks a closer behind a payload without escapes,
        has begun, and nothing has closed it."""

    def begin(self, role: str, start: int, calls: int) -> None:
        """Notes that another turn begins: an `observation`, or the final `answer`.

        Args:
            role: which.
            start: the offset where it begins.
            calls: how many calls stand before it.
        """
        if role == "observation":
            self.observed = True
        else:
            self.answered, self.answer_start = calls, start

    def copy(self) -> Turns:
        """Returns the same turns, which stay as they are."""
        copied = Turns()
        copied.observed, copied.answered = self.observed, self.answered
        copied.answer_start, copied.awaiting = self.answer_start, [*self.awaiting]
        copied.fence, copied.fenced, copied.is_open = self.fence, {**self.fenced}, self.is_open
        copied.inline, copied.code = self.inline, self.code
        return copied

    def before_answer(self, text: str, start: int) -> str:
        """Returns what of a text that begins at an offset stands before the final answer."""
        return text if self.answer_start < 0 else text[: max(0, self.answer_start - start)]


def doubt_behind_observation(builder: Builder, draft: Draft) -> None:
    """Doubts the open call where the result before it was made up: it may rest on that."""
    if not (builder.turns.observed and builder.header.observation):
        return
    draft.doubts.append("invented-result")
    builder.report(
        "invented-result",
        "error",
        "Found a call behind the result of a tool that the model made up",
        Span(draft.start, draft.start),
        hint="run the calls before it, and let the model go on from their results",
    )


def doubt_before_answer(builder: Builder) -> None:
    """Doubts the calls before a final answer: the model did not wait for what they give."""
    for index in builder.turns.awaiting:
        call = builder.calls[index]
        if index >= builder.turns.answered or "invented-result" in call.doubts:
            continue
        doubts = (*call.doubts, "final-answer")
        builder.calls[index] = replace(call, doubts=doubts)
        builder.report(
            "final-answer",
            "error",
            "Found a final answer behind a call; the model did not wait for its result",
            call.span,
        )


class Withheld:
    """Holds events back from the first `CallEnd` on, where a final answer may still follow."""

    def __init__(self) -> None:
        self.events: list[Event] = []

    def take(self, events: list[Event], builder: Builder, *, ended: bool) -> list[Event]:
        """Returns the events that are certain; at the end of the message all are.

        Args:
            events: those that came since the last time.
            builder: the message.
            ended: whether it has ended.
        """
        if ended:
            held, self.events = self.events + events, []
            return _settled(held, builder)
        if self.events:
            self.events += events
            return []
        first = _first_end(events, builder.turns.awaiting)
        self.events = events[first:]
        return events[:first]


def _settled(events: list[Event], builder: Builder) -> list[Event]:
    """Gives the events with the calls as they are now; what puts a call into doubt comes before."""
    late: dict[Span, list[Event]] = {builder.calls[at].span: [] for at in builder.turns.awaiting}
    for event in events:
        if _is_late(event, late):
            late[event.diagnostic.span].append(event)
    found: list[Event] = []
    spans = frozenset(late)
    for event in events:
        if isinstance(event, CallEnd):
            call = builder.calls[event.index]
            found += late.pop(call.span, [])
            found.append(CallEnd(event.index, call))
        elif not _is_late(event, spans):
            found.append(event)
    return found


def _is_late(event: Event, spans: Container[Span]) -> TypeGuard[Problem]:
    """Whether an event puts a call into doubt whose `CallEnd` was held back."""
    if not isinstance(event, Problem) or event.diagnostic.code not in _LATE:
        return False
    return event.diagnostic.span in spans


def _first_end(events: list[Event], awaiting: list[int]) -> int:
    ends = (
        place
        for place, event in enumerate(events)
        if isinstance(event, CallEnd) and event.index in awaiting
    )
    return next(ends, len(events))

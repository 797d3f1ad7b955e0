"""Doubts calls of a message in which the model also writes the turns after its own.

A model that is not stopped continues the conversation: it makes up the result of its call, calls again
because of it, and answers. The header's `observation` and `answer` name the terminals that begin such
turns. In every format, the opener of the grammar's rule `results` and the tokens with which chat
templates begin a user's turn count as well (`Signs.begin_other_turn`).

Example: no call runs behind `<|im_start|>user`, or behind `<tool_response>` if that is the tag of results.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, TypeGuard

from toolgrammar.core.message.reports import doubt
from toolgrammar.values.events import CallEnd, Problem
from toolgrammar.values.spans import Span

if TYPE_CHECKING:
    from collections.abc import Container

    from toolgrammar.core.message.build import Builder
    from toolgrammar.core.message.draft import Draft
    from toolgrammar.values.events import Event


_LATE = frozenset({"bare-text", "final-answer", "missing-close-tag", "quoted-call"})
"""The codes of doubts that are only known at the end of the message."""


def doubt_behind_observation(builder: Builder, draft: Draft) -> None:
    """Doubts the open call if the model made up a result before it, on which it may be based."""
    turns = builder.turns
    if not (turns.other_turn or turns.observed):
        return
    message = "Found a call behind a turn that is not the model's: a result, words of the user, or a list of tools"
    hint = "run the calls before it, and let the model go on from their results"
    doubt(builder, draft, "invented-result", message, Span(draft.start, draft.start), hint=hint)


def doubt_behind_answer(builder: Builder, draft: Draft) -> None:
    """Doubts the open call if a final answer stands before it, since it may be part of that."""
    # In the markup of the call itself the answer has a doubt of its own. In a format without answers a
    # line that begins with `Answer:` is prose.
    is_behind = 0 <= builder.turns.answer_start < draft.start and builder.header.answer
    if not is_behind or draft.doubts:
        return
    message = "Found a call behind a final answer; it may be a part of that"
    doubt(builder, draft, "final-answer", message, Span(draft.start, draft.start))


def doubt_before_answer(builder: Builder) -> None:
    """Doubts the calls before a final answer, which the model wrote without waiting for their results."""
    for index in builder.turns.awaiting:
        call = builder.calls[index]
        # Calls behind the answer have the doubt already; the doubt of a made-up result is enough,
        # too.
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
    """Holds events back from the first `CallEnd` on, as long as a final answer may follow."""

    def __init__(self) -> None:
        self.events: list[Event] = []

    def take(self, events: list[Event], builder: Builder, *, ended: bool) -> list[Event]:
        """Returns the events that are certain; at the end of the message all are.

        Args:
            events: the events since the last call of this method.
            builder: the message.
            ended: whether the message has ended.
        """
        if ended:
            held, self.events = self.events + events, []
            return _settled(held, builder)
        # Behind a withheld `CallEnd` all events wait, so that they keep their order.
        if self.events:
            self.events += events
            return []
        # Deltas before it are certain and don't have to wait.
        first = _first_end(events, builder.turns.awaiting)
        self.events = events[first:]
        return events[:first]


def _settled(events: list[Event], builder: Builder) -> list[Event]:
    """Returns the events with the final calls; errors that doubt a call are moved before its end."""
    late: dict[Span, list[Event]] = {builder.calls[at].span: [] for at in builder.turns.awaiting}
    for event in events:
        if _is_late(event, late):
            late[event.diagnostic.span].append(event)
    found: list[Event] = []
    spans = frozenset(late)
    for event in events:
        if isinstance(event, CallEnd):
            call = builder.calls[event.index]
            # As for every call, its errors come before its `CallEnd`.
            found += late.pop(call.span, [])
            found.append(CallEnd(event.index, call))
        elif not _is_late(event, spans):
            found.append(event)
    return found


def _is_late(event: Event, spans: Container[Span]) -> TypeGuard[Problem]:
    """Whether an event is the error of a doubt about a call whose `CallEnd` was held back."""
    if not isinstance(event, Problem) or event.diagnostic.code not in _LATE:
        return False
    return event.diagnostic.span in spans


def _first_end(events: list[Event], awaiting: list[int]) -> int:
    # Only a call that has ended can run, so the events of an open one are no danger.
    ends = (
        place
        for place, event in enumerate(events)
        if isinstance(event, CallEnd) and event.index in awaiting
    )
    return next(ends, len(events))

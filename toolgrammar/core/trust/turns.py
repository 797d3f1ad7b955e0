"""Doubts calls of a message in which the model also plays the turns that come after it.

A model that is not stopped goes on as the conversation would: it writes the result of its call,
calls again because of it, and answers. The header's `observation` and `answer` name the terminals
that begin such turns. So do, in every format, what the grammar's rule `results` begins with and the
tokens by which chat templates begin the turn of a user (`Signs.begin_other_turn`): no call runs behind
`<|im_start|>user`, nor behind `<tool_response>` where results stand in that tag.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, TypeGuard

from toolgrammar.values.events import CallEnd, Problem
from toolgrammar.values.spans import Span

if TYPE_CHECKING:
    from collections.abc import Container

    from toolgrammar.core.message.build import Builder
    from toolgrammar.core.message.draft import Draft
    from toolgrammar.values.events import Event


_LATE = frozenset({"bare-text", "final-answer", "missing-close-tag", "quoted-call"})
"""Codes of doubts that come when the message has ended."""


def doubt_behind_observation(builder: Builder, draft: Draft) -> None:
    """Doubts the open call where the result before it was made up: it may rest on that."""
    turns = builder.turns
    if not (turns.other_turn or turns.observed):
        return
    draft.doubts.append("invented-result")
    builder.report(
        "invented-result",
        "error",
        "Found a call behind a turn that is not the model's: a result, words of the user, or a list of tools",
        Span(draft.start, draft.start),
        hint="run the calls before it, and let the model go on from their results",
    )


def doubt_before_answer(builder: Builder) -> None:
    """Doubts the calls before a final answer: the model did not wait for what they give."""
    for index in builder.turns.awaiting:
        call = builder.calls[index]
        # Calls behind the answer, and those that are doubted for a made-up result already.
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
        # Behind a withheld `CallEnd` all waits: events keep the order of the text.
        if self.events:
            self.events += events
            return []
        # Deltas before it are certain, and need not wait.
        first = _first_end(events, builder.turns.awaiting)
        self.events = events[first:]
        return events[:first]


def _settled(events: list[Event], builder: Builder) -> list[Event]:
    """Returns the events with the calls as they are now; what puts a call into doubt comes before."""
    late: dict[Span, list[Event]] = {builder.calls[at].span: [] for at in builder.turns.awaiting}
    for event in events:
        if _is_late(event, late):
            late[event.diagnostic.span].append(event)
    found: list[Event] = []
    spans = frozenset(late)
    for event in events:
        if isinstance(event, CallEnd):
            call = builder.calls[event.index]
            # The errors come before their `CallEnd`, as those of every call do.
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

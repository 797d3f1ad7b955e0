"""Doubts calls of a message in which the model also plays the turns that come after it.

A model that is not stopped goes on as the conversation would: it writes the result of its call,
calls again because of it, and answers. The header's `observation` and `answer` name the terminals
that begin such turns.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from toolgrammar.values.events import CallEnd
from toolgrammar.values.spans import Span

if TYPE_CHECKING:
    from toolgrammar.core.build import Builder
    from toolgrammar.core.draft import Draft
    from toolgrammar.values.events import Event


def begin(builder: Builder, role: str) -> None:
    """Notes that the model begins another turn: an `observation`, or its final `answer`."""
    if role == "observation":
        builder.observed = True
    else:
        builder.answered = len(builder.calls)


def doubt_behind_observation(builder: Builder, draft: Draft) -> None:
    """Doubts the open call: the result before it was made up, and it may rest on that."""
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
    for index in builder.awaiting:
        call = builder.calls[index]
        if index >= builder.answered or "invented-result" in call.doubts:
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
        held = self.events + events
        first = 0 if self.events else _first_end(held, builder.awaiting)
        if not ended:
            self.events = held[first:]
            return held[:first]
        self.events = []
        calls = builder.calls
        return [CallEnd(e.index, calls[e.index]) if isinstance(e, CallEnd) else e for e in held]


def _first_end(events: list[Event], awaiting: list[int]) -> int:
    ends = (
        place
        for place, event in enumerate(events)
        if isinstance(event, CallEnd) and event.index in awaiting
    )
    return next(ends, len(events))

"""Keeps the last call of a message where only the last one counts: those before it are text.

A call waits until the message ends; what follows it waits too, since its own text may have to
stand before that.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from toolgrammar.values.events import Problem
from toolgrammar.values.spans import Span

if TYPE_CHECKING:
    from toolgrammar.core.build import Builder
    from toolgrammar.core.draft import Draft
    from toolgrammar.values.calls import Status


class Candidate(NamedTuple):
    """A call that is the last one so far."""

    draft: Draft
    status: Status
    end: int
    behind: list[tuple[str, int]]
    """The text behind it: pieces with their offsets."""


_REASONING = -2
"""The offset of what the model thinks behind a candidate."""


def hold(builder: Builder, draft: Draft, status: Status, end: int) -> None:
    """Takes a call in place of the one before it, which becomes text."""
    before, builder.candidate = builder.candidate, None
    if before is not None:
        start = before.draft.start
        builder.events.extend(e for e in before.draft.events if isinstance(e, Problem))
        builder.text(builder.source.slice(start, before.end), start)
        _give_behind(builder, before)
    builder.candidate = Candidate(draft, status, end, [])


def hold_text(candidate: Candidate, text: str, offset: int) -> None:
    """Keeps text that follows a candidate."""
    candidate.behind.append((text, offset))


def hold_reasoning(candidate: Candidate, text: str) -> None:
    """Keeps what the model thinks behind a candidate."""
    candidate.behind.append((text, _REASONING))


def settle_candidate(builder: Builder) -> None:
    """Gives out the call that turned out to be the last one, and what follows it."""
    candidate, builder.candidate = builder.candidate, None
    if candidate is None:
        return
    status = candidate.status
    if builder.cut_by_server and status not in {"truncated", "unreadable"}:
        status = "truncated"
        builder.report(
            "truncated",
            "error",
            "Found the last call of a text that the server cut; one that counts may have followed",
            Span(candidate.end, candidate.end),
            hint="the message is not complete: do not run the call",
        )
    builder.complete(candidate.draft, status, candidate.end)
    _give_behind(builder, candidate)


def _give_behind(builder: Builder, candidate: Candidate) -> None:
    for text, offset in candidate.behind:
        if offset == _REASONING:
            builder.reason(text)
        else:
            builder.text(text, offset)

"""Converts the offsets of a message's result so that they count from the message, not from the prefix.

With the prefix `<think>` the call in `<think>Go.</think>[f()]` begins at 17 inside of the reading;
for the caller, who has the message alone, it begins at 10. Insertions in the prefix move to the
beginning of the message; edits that replace or drop text of the prefix are omitted.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from toolgrammar.values.calls import ToolCall
from toolgrammar.values.diagnostics import Diagnostic, Edit
from toolgrammar.values.events import CallEnd, Problem
from toolgrammar.values.spans import Span

if TYPE_CHECKING:
    from toolgrammar.values.events import Event

_Located = TypeVar("_Located", ToolCall, Diagnostic)


def without_prefix(located: _Located, origin: int) -> _Located:
    """Returns a call or a diagnostic whose spans are counted from an offset on."""
    if not origin:
        return located
    if isinstance(located, ToolCall):
        return replace(located, span=_counted(located.span, origin))
    edits = tuple(
        Edit(_counted(each.span, origin), each.replacement)
        for each in located.edits
        if not each.span.start < each.span.end <= origin
    )
    return replace(located, span=_counted(located.span, origin), edits=edits)


def event_without_prefix(event: Event, origin: int) -> Event:
    """Returns an event whose spans are counted from an offset on."""
    if isinstance(event, CallEnd):
        return replace(event, call=without_prefix(event.call, origin))
    if isinstance(event, Problem):
        return replace(event, diagnostic=without_prefix(event.diagnostic, origin))
    return event


def _counted(span: Span, origin: int) -> Span:
    """Returns the part of a span that is behind an offset, counted from there on."""
    return Span(max(0, span.start - origin), max(0, span.end - origin))

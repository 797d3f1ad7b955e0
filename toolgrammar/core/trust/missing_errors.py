"""Reports why a call is not executable, if no diagnostic has said so yet.

Example: `{"name": "f", "arguments": {"a": 1` is `truncated`. Most errors are reported when they are found,
with their place. Some are known only when the call has ended: an inserted bracket may belong elsewhere
if a required argument is missing, but its repair was already emitted as a warning. Whether a call fits a
given tool is decided here, too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgrammar.core.payloads.json.guide import guide_of_tool
from toolgrammar.values.codes import CODES
from toolgrammar.values.diagnostics import Diagnostic
from toolgrammar.values.events import Problem
from toolgrammar.values.spans import Span

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toolgrammar.core.message.build import Builder
    from toolgrammar.core.message.draft import Draft
    from toolgrammar.values.calls import Status


def is_misfit(builder: Builder, draft: Draft) -> bool:
    """Whether the format only allows given tools, and none accepts the name and arguments of a call."""
    if builder.header.misfit != "text":
        return False
    spec = builder.tools.get(draft.name or "")
    if spec is None or draft.error is not None:
        return True
    if spec.names_arguments and not draft.arguments.keys() <= spec.properties.keys():
        return True
    return not guide_of_tool(spec).admits(draft.arguments)


_HINT = "the call is not executable: look at it before you run it"


def report_owed(builder: Builder, draft: Draft, status: Status, end: int) -> None:
    """Adds an error for each reason not to run a call that no error states yet.

    Args:
        builder: the message.
        draft: the call, which has ended.
        status: the status of the call.
        end: the offset of its end.
    """
    found = builder.diagnostics_of(draft)
    said = {each.code for each in found if each.severity == "error"}
    for diagnostic in _owed(draft, status, max(end, draft.start), said):
        if builder.listing.add(diagnostic) and builder.queue.listening:
            # Not with `builder.report`: the draft is no longer the open one.
            (builder.queue.events if draft.started else draft.events).append(Problem(diagnostic))


def _owed(draft: Draft, status: Status, end: int, said: set[str]) -> Iterator[Diagnostic]:
    """Yields the errors of a call that are missing."""
    # An error that only repeats a doubt does not say that the call was cut or can't be read.
    losses = said.difference(draft.doubts)
    if status == "truncated" and not losses:
        message = "Found the end of a call before its arguments were whole"
        yield Diagnostic("truncated", "error", message, Span(end, end), hint=_HINT)
    if status == "unreadable" and not losses:
        # Where arguments began, they are what can't be read; without any, it is the call.
        start = draft.arguments_start
        stop = max(start, draft.arguments_end)
        span = Span(draft.start, end) if start < 0 else Span(start, stop)
        yield Diagnostic("malformed-arguments", "error", str(draft.error), span)
    for code in dict.fromkeys(draft.doubts):
        if code not in said:
            message = f"A repair may have guessed wrong: {CODES[code].meaning}"
            yield Diagnostic(code, "error", message, Span(draft.start, end), hint=_HINT)

"""Reports why a call is not executable, where nothing that was reported so far says so.

Most of it is said where it is found, and with its place. Some of it shows only when the call is
over: a bracket that was put in may stand at another place once a required argument is missing.
Its repair was given out by then, and is a warning. Whether a call is one of a given tool is judged
here, too.
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
    """Whether the format wants a given tool, and none takes the name and arguments of a call."""
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
    """Adds an error for each reason not to run a call that has none yet.

    Args:
        builder: the message.
        draft: the call, which has ended.
        status: what became of it.
        end: where it ended.
    """
    found = builder.diagnostics[draft.diagnostics.listed :]
    said = {each.code for each in found if each.severity == "error"}
    for diagnostic in _owed(draft, status, max(end, draft.start), said):
        if builder.listing.add(diagnostic) and builder.queue.listening:
            # Not by `builder.report`: the draft is no longer the open one.
            (builder.queue.events if draft.started else draft.events).append(Problem(diagnostic))


def _owed(draft: Draft, status: Status, end: int, said: set[str]) -> Iterator[Diagnostic]:
    """Yields what is missing among the errors of a call."""
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

"""Reports what is odd in a message: repairs, with the edit that mends the text, and doubts.

Example: `[1, 2` for an argument whose schema wants an array is kept as text, and is a doubt
`schema-mismatch`. A second `<tool_call>` is dropped: its edit replaces it by "".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgrammar.core.payloads.literals.payload_faults import untyped
from toolgrammar.values.diagnostics import Edit
from toolgrammar.values.events import ArgumentsDelta
from toolgrammar.values.spans import Span

if TYPE_CHECKING:
    from toolgrammar.core.message.build import Builder
    from toolgrammar.core.message.draft import Draft


def emit_arguments(builder: Builder, draft: Draft, piece: str) -> None:
    """Emits a piece of the JSON of the open call's arguments."""
    builder.emit(draft, ArgumentsDelta(builder.next_index, piece))


def report_edit(
    builder: Builder, code: str, message: str, span: Span, text: str, *, doubtful: bool = False
) -> None:
    """Reports a repair that replaces a part of the source by a text; `doubtful`: as an error."""
    severity = "error" if doubtful else "warning"
    builder.report(code, severity, message, span, edits=(Edit(span, text),))


def doubt(
    builder: Builder,
    draft: Draft,
    code: str,
    message: str,
    span: Span,
    *,
    path: str = "",
    hint: str = "",
) -> None:
    """Puts a call in doubt, and reports why."""
    draft.doubts.append(code)
    builder.report(code, "error", message, span, path=path, hint=hint)


def report_cut(
    builder: Builder,
    place: int,
    message: str,
    *,
    edits: tuple[Edit, ...] = (),
    hint: str = "the call is not complete: do not run it",
) -> None:
    """Reports at an offset that the text was cut."""
    span = Span(place, place)
    builder.report("truncated", "error", message, span, edits=edits, hint=hint)


def doubt_open(builder: Builder, code: str, message: str, span: Span) -> None:
    """Puts the open call in doubt, if there is one, and reports why."""
    if builder.draft is not None:
        doubt(builder, builder.draft, code, message, span)


def doubt_type(builder: Builder, draft: Draft, path: str, span: Span) -> None:
    """Puts the text at a path of the arguments in doubt, which its schema does not accept."""
    doubt(builder, draft, "schema-mismatch", untyped(path), span, path=f"$.{path}")

"""Emits the pieces of arguments, and reports what puts an argument in doubt.

Example: `[1, 2` for an argument whose schema wants an array is kept as text, and is a doubt
`schema-mismatch`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgrammar.values.events import ArgumentsDelta

if TYPE_CHECKING:
    from toolgrammar.core.message.build import Builder
    from toolgrammar.core.message.draft import Draft
    from toolgrammar.values.spans import Span


def emit_arguments(builder: Builder, draft: Draft, piece: str) -> None:
    """Emits a piece of the JSON of the open call's arguments."""
    builder.emit(draft, ArgumentsDelta(builder.next_index, piece))


def doubt_argument(
    builder: Builder, draft: Draft, code: str, message: str, span: Span, *, path: str = ""
) -> None:
    """Puts the arguments of the open call in doubt."""
    draft.doubts.append(code)
    builder.report(code, "error", message, span, path=path)


def doubt_type(builder: Builder, draft: Draft, path: str, span: Span) -> None:
    """Puts the text at a path of the arguments in doubt, which its schema does not accept."""
    message = f"Found text for `{path[:40]}` that its schema does not take; kept as text"
    doubt_argument(builder, draft, "schema-mismatch", message, span, path=f"$.{path}")

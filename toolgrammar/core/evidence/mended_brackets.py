"""Tells by the edits of a repair whether a bracket was inserted, replaced or dropped.

Example: the repair of `{"a": ["b"}` inserts `]` behind a lone item: `lacks_bracket` and
`closes_lone_item` are true of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from toolgrammar.values.diagnostics import Diagnostic


def puts_in_brace(mended: Diagnostic) -> bool:
    """Whether a repair inserts the closing brace of an object."""
    return any("}" in edit.replacement for edit in mended.edits)


def lacks_bracket(mended: Diagnostic) -> bool:
    """Whether a repair inserts a missing bracket, rather than replacing one of another kind."""
    is_empty = (edit.span.start == edit.span.end for edit in mended.edits)
    return mended.code == "bracket" and any(is_empty)


def closes_lone_item(mended: Diagnostic) -> bool:
    """Whether a repair inserts the closer of a list that may have at most one item."""
    return mended.path.endswith(("[0]", "[1]")) and any("]" in e.replacement for e in mended.edits)


def replaces_opener(mended: Diagnostic) -> bool:
    """Whether a repair replaces another character by the opener of a list."""
    edits = mended.edits if mended.code == "bracket" else ()
    return any(edit.replacement == "[" and edit.span.end > edit.span.start for edit in edits)


def leaves_out_bracket(mended: Diagnostic) -> bool:
    """Whether a repair drops a single bracket that has no partner."""
    edits = mended.edits if mended.code == "stray-close-tag" else ()
    return any(edit.replacement == "" and edit.span.end - edit.span.start == 1 for edit in edits)

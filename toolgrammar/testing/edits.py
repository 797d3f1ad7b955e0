"""Checks the law of edits: a text with all its edits applied is strict, and has the same result.

`{"a": 1,}` with the edit that drops the comma is `{"a": 1}`, which strict reading takes.
"""

import sys
from dataclasses import replace
from unittest.mock import patch

from toolgrammar.parsing.whole import parse
from toolgrammar.testing.breaches import broken
from toolgrammar.testing.cases import Case, format_of
from toolgrammar.testing.readings import deed
from toolgrammar.values import limits
from toolgrammar.values.calls import ParseResult, ToolCall

_PAST_MENDING = frozenset(
    {"malformed-call", "malformed-arguments", "limit-depth", "limit-chars", "limit-calls"}
)
"""Codes of what no edit makes sound."""


def applied(result: ParseResult) -> str | None:
    """Returns the source with all edits made, or None where two of them overlap."""
    edits = sorted(
        [
            (edit.span.start, edit.span.end, edit.replacement)
            for diagnostic in result.diagnostics
            for edit in diagnostic.edits
        ],
        # Two insertions at one place stay in the order in which they were told.
        key=lambda edit: edit[:2],
    )
    pieces: list[str] = []
    place = 0
    for start, end, replacement in edits:
        # Two edits of the same character could not both be applied.
        if start < place:
            return None
        pieces += [result.source[place:start], replacement]
        place = end
    return "".join([*pieces, result.source[place:]])


def edits(case: Case) -> None:
    """Checks that the text with all edits applied is read strictly as the original was when repaired.

    Each call that is complete or repaired is there with its name and its arguments, and no other
    call is. A truncated call is there with what had come of it, or not at all, where nobody can
    say how its text would have gone on. The law says nothing of a message in which something is
    unreadable: nothing makes that sound. Where values got the type of their schema, the second
    reading types them too, and mends nothing.
    """
    with patch.object(limits, "MOST_LISTED", sys.maxsize):  # edits that are not listed, too
        result = parse(case.text, format=case.format, tools=case.tools, prefix=case.prefix)
    codes = {found.code for found in result.diagnostics}
    # A call that can't be read, or a limit, is not damage that edits undo.
    if codes & _PAST_MENDING or any(call.status == "unreadable" for call in result.calls):
        return
    only_last = format_of(case).header.calls == "last"
    if only_last and any(call.status == "truncated" for call in result.calls):
        return  # the strict reading has the one before it
    mended = applied(result)
    # Checked behind those that are past mending: their edits need not agree.
    if mended is None:
        broken("edits", case, "edits", "none overlap", result.diagnostics)
    typed = "schema-type" in codes
    again = parse(
        mended, format=case.format, tools=case.tools, prefix=case.prefix, strict=not typed
    )
    if typed and any(found.edits for found in again.diagnostics):
        broken("edits", case, "diagnostics of the mended text", "no edits", again.diagnostics)
    left = [deed(call) for call in again.calls]
    # In order, each call once: what is left over was not there before.
    for call in result.calls:
        if left and left[0] in (deed(call), deed(_without_line_end(call))):
            del left[0]
        elif call.status != "truncated":
            broken("edits", case, f"calls of {mended!r}, strictly", deed(call), left)
    # An edit that turns text into a call would change what runs.
    if left:
        broken("edits", case, f"calls of {mended!r}, strictly", "no other", left)


def _without_line_end(call: ToolCall) -> ToolCall:
    """Returns a truncated call without the line end that its format may trim off the whole text."""
    if call.status != "truncated" or not call.input:
        return call
    text = call.input.removesuffix("\n")
    # The text is an argument, too, where the tool has one for it.
    arguments = {
        key: text if value == call.input else value for key, value in call.arguments.items()
    }
    return replace(call, input=text, arguments=arguments)

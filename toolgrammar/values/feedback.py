"""Tells the model what was wrong with what it wrote, and how to write it again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolgrammar.values.codes import CODES

if TYPE_CHECKING:
    from toolgrammar.values.calls import ParseResult, ToolCall

_MOST: Final = 5
"""Problems of one message that are told."""
_LONGEST: Final = 80
"""Characters of a name or piece of text that are quoted."""


def call_feedback(call: ToolCall) -> str:
    """Returns what a model is to know about a call that is not executable; "" for any other."""
    if call.executable:
        return ""
    head = f"Your call of `{call.name[:_LONGEST]}`"
    if call.status == "truncated":
        return f"{head} was cut off before its end and did not run. Write the whole call again."
    if call.error is not None or call.status == "unreadable":
        why = call.error or "the arguments could not be read"
        return f"{head} did not run: {why.rstrip('.')}. Write it again in the same format."
    doubts = "; ".join(map(_meaning, call.doubts))
    return (
        f"{head} did not run, since it may mean something else than was read: {doubts}. "
        "Write it again, with every quote, bracket and tag in its place."
    )


def result_feedback(result: ParseResult) -> str:
    """Returns what a model is to know about its message, a line a problem; "" where all is well."""
    lines = [call_feedback(call) for call in result.calls if not call.executable]
    spans = [call.span for call in result.calls if not call.executable]
    for each in result.diagnostics:
        told = any(span.start <= each.span.start <= span.end for span in spans)
        if each.severity == "error" and not told:
            place = result.source[each.span.start : max(each.span.end, each.span.start + 40)]
            quoted = f" at `{' '.join(place[:_LONGEST].split())}`" if place.strip() else ""
            message = " ".join(each.message.split())
            lines.append(
                f"Something in your message was not read{quoted}: {message}. "
                "If it was meant as a call, write the whole call again."
            )
    if len(lines) > _MOST:
        lines[_MOST:] = [f"{len(lines) - _MOST} more problems of this kind follow."]
    return "\n".join(lines)


def _meaning(code: str) -> str:
    """Returns what a doubt is about: the beginning of its entry in the table of codes."""
    entry = CODES.get(code)
    if entry is None:
        return code
    text = entry.meaning.split(";")[0].split(". ")[0].rstrip(".")
    return text[:1].lower() + text[1:]

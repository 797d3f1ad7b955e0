"""Detects reasoning that the prompt opened although no `prefix` was given, by its closer in the text.

Example: `Look first.</think>Now.` gets a diagnostic that mentions `prefix`. In `[a call]</think>No.` it is
an error: the call may have been part of the reasoning, and was emitted before the closer arrived.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from toolgrammar.core.evidence.used import is_quoted
from toolgrammar.values.patterns import compile_pattern
from toolgrammar.values.spans import Span

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from toolgrammar.core.message.build import Builder
    from toolgrammar.values.diagnostics import Severity

_LEAST = 5
"""The least number of characters of a special token with a word in it."""
_HINT = "pass `prefix` with what the prompt wrote of the answer, as in prefix={opener!r}"


def with_halves(closers: Iterable[str]) -> tuple[str, ...]:
    """Returns closers of reasoning, and the halves of those that consist of two special tokens."""
    whole = tuple(closers)
    return (*whole, *(half for tag in whole if (half := _half(tag))))


def _half(tag: str) -> str:
    half = tag.rpartition("<|")[0]
    return half if len(half) > _LEAST else ""


def report_unopened(builder: Builder, tags: Mapping[str, str]) -> None:
    """Reports the first closer of reasoning in the text of a message that has no reasoning.

    Called once, at the end of the message. The result does not change: the closer stays text.

    Args:
        builder: the message.
        tags: the closers of reasoning, each with its opener.
    """
    # If reasoning was read, another closer in the text is most likely only mentioned.
    if not tags or builder.reasoning_parts:
        return
    closer = compile_pattern("|".join(map(re.escape, tags)))
    for start, text in builder.text_parts.stretches():
        found = next((m for m in closer.finditer(text) if not is_quoted(text, m.start())), None)
        if found is not None:
            place = Span(start + found.start(), start + found.end())
            # A call is emitted as soon as it ends, so one before the closer can't be held back.
            is_late = any(call.span.start < place.start for call in builder.calls)
            closing = "the calls before it may be thoughts" if is_late else "it is text"
            message = f"Found `{found[0][:40]}`, and no reasoning that it closes; {closing}"
            hint = _HINT.format(opener=f"{tags[found[0]]}\n")
            severity: Severity = "error" if is_late else "info"
            builder.report("unopened-reasoning", severity, message, place, hint=hint)
            return
    _report_half(builder, tags)


def _report_half(builder: Builder, tags: Mapping[str, str]) -> None:
    """Reports a closer of two special tokens in the text whose last token is missing."""
    halves = {half: tag for tag in tags if (half := _half(tag))}
    for start, text in builder.text_parts.stretches() if halves else ():
        for half, tag in halves.items():
            at = text.find(half)
            if at >= 0 and not is_quoted(text, at):
                place = Span(start + at, start + at + len(half))
                message = f"Found `{half[:40]}` in text, which may be `{tag[:40]}`"
                builder.report("unread-call", "error", message, place)
                return

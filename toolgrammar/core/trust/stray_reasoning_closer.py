"""Detects reasoning that the prompt opened although no `prefix` was given, by its closer in the text.

Example: `Look first.</think>Now.` gets a diagnostic that mentions `prefix`. In `[a call]</think>No.` it is
an error: the call may have been part of the reasoning, and was emitted before the closer arrived. So is
`<think>[a call]</think>No.` if a call ends reasoning.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from toolgrammar.core.evidence.reasoning_marks import REASONING_CLOSERS
from toolgrammar.core.evidence.used import is_quoted
from toolgrammar.values.patterns import compile_pattern
from toolgrammar.values.spans import Span

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from toolgrammar.core.message.build import Builder
    from toolgrammar.values.calls import ToolCall
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


def closes_unopened(text: str, calls: Sequence[ToolCall], parts: Iterable[str]) -> bool:
    """Whether a common closer of reasoning may stand behind a call, so that the driver has to look.

    Args:
        text: the message.
        calls: its calls.
        parts: the parts of it that are text.
    """
    if not calls:
        return False
    tags = [tag for tag in REASONING_CLOSERS if text.find(tag, calls[0].span.end) >= 0]
    return any(tag in part for part in parts for tag in tags) if tags else False


def report_unopened(builder: Builder, tags: Mapping[str, str]) -> None:
    """Reports the first closer in the text of a message whose reasoning is not known to be closed.

    Called once, at the end of the message. The result does not change: the closer stays text. If a call
    has ended the reasoning, its closer shows that the call may have been part of it.

    Args:
        builder: the message.
        tags: the closers of reasoning, each with its opener.
    """
    ended = builder.turns.thought_end
    # If reasoning was read and closed, another closer in the text is most likely only mentioned.
    if builder.reasoning_parts and ended < 0:
        return
    found = _first_unopened(builder, tags, ended)
    if found is None:
        _report_half(builder, tags)
        return
    tag, place = found
    # A call is emitted as soon as it ends, so one before the closer can't be held back.
    is_late = _is_behind_call(builder, place.start)
    closing = "the calls before it may be thoughts" if is_late else "it is text"
    message = f"Found `{tag[:40]}`, and no reasoning that it closes; {closing}"
    hint = _HINT.format(opener=f"{ {**REASONING_CLOSERS, **tags}[tag] }\n")
    if ended >= 0:
        message = f"Found `{tag[:40]}` behind a call that ended the reasoning; it may be a thought"
        hint = ""
    severity: Severity = "error" if is_late else "info"
    builder.report("unopened-reasoning", severity, message, place, hint=hint)


def _first_unopened(
    builder: Builder, tags: Mapping[str, str], ended: int
) -> tuple[str, Span] | None:
    """Returns the first closer in the text that counts, and its place; None if there is none.

    Args:
        builder: the message.
        tags: the closers of the format's reasoning, each with its opener.
        ended: the offset where a call ended reasoning, before which no closer counts; or -1.
    """
    closer = compile_pattern("|".join(map(re.escape, {**REASONING_CLOSERS, **tags})))
    opened = {}
    for start, text in builder.text_parts.stretches():
        for found in closer.finditer(text):
            tag, place = found[0], start + found.start()
            if place < ended or is_quoted(text, found.start()):
                continue
            if tag not in tags:
                # In a format without such reasoning the tag is a word, unless calls stand before it.
                if tag not in opened:
                    opened[tag] = builder.source.text().find(REASONING_CLOSERS[tag])
                if 0 <= opened[tag] < place or not _is_behind_call(builder, place):
                    continue
            return tag, Span(place, place + len(tag))
    return None


def _is_behind_call(builder: Builder, place: int) -> bool:
    """Whether a call begins before a place."""
    return bool(builder.calls) and builder.calls[0].span.start < place


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

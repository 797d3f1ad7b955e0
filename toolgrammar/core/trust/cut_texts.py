"""Doubts calls with a text that may be cut: a closer inside the text ended it too early.

Example: in `<tool_call>{"name": "f", "arguments": {"text": Hello }}</tool_call> more"}}</tool_call>` the
call gets `Hello`; behind the call the string and its object end. If the closer of a value was inserted,
the real one may be behind the call. A text that contains the call's own opener, such as "ls -l```bash",
may be cut as well: the model broke off, and began the call again.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from toolgrammar.core.message.reports import doubt
from toolgrammar.values.patterns import late
from toolgrammar.values.spans import Span

if TYPE_CHECKING:
    from collections.abc import Iterable

    from toolgrammar.core.message.build import Builder
    from toolgrammar.core.message.draft import Draft
    from toolgrammar.values.calls import Status

CODE: Final = "unread-call"
"""The code of the doubt: the text may contain a call that could not be read."""
_LONGEST_OPENER: Final = 96
"""The maximal number of characters of an opener."""
_OPENER = late(
    r"<[^\W\d][\w.:-]{0,64}(?=[^<>\n]{0,64}>)|[^\w\s<>]{1,9} ?[\w.-]{1,64}|[A-Z]\w{1,32}: [\w.-]{1,64}"
)
"""A tag up to its attributes, or a mark or label and the word behind it: "```bash", `Action: search`."""


def doubt_begun_anew(builder: Builder, draft: Draft) -> None:
    """Doubts the open call if its free text contains the opener of the call.

    The opener has to be followed by the name, since prose may contain the mark alone.
    """
    if draft.inputs is None or draft.doubts:
        return
    opener = _OPENER.match(builder.source.slice(draft.start, draft.start + _LONGEST_OPENER))
    if opener is None:
        return
    # If the text is the whole call, it begins with the opener.
    first = len(opener[0]) if draft.arguments_start <= draft.start else 0
    text = "".join(draft.inputs)
    found = (
        opener[0] if _holds_opener(text, opener[0], first) else _stop_in(text, builder.header.stop)
    )
    if found:
        message = f"Found `{found[:40]}` in the text of a call; another call may begin or end there"
        doubt(builder, draft, CODE, message, Span(draft.start, draft.start))


def _holds_opener(text: str, opener: str, first: int) -> bool:
    """Whether an opener is in a text from an index on; that of `search` is not in `<search_all>`."""
    return re.search(rf"{re.escape(opener)}(?![\w.:-])", text[first:]) is not None


def _stop_in(text: str, stops: Iterable[str]) -> str:
    """Returns the closing tag at which servers stop, if a line of a text begins with it; else ""."""
    return next((each for each in stops if each.startswith("</") and f"\n{each}" in text), "")


_BARE: Final = "bare-text"
_CLOSER: Final = "missing-close-tag"
_REST = late(r"[\"'\u201d}\]]\s{0,16}(?:[}\]]|</|<[|\uff5c]|\[/)")
"""The end of a string or an object inside a call."""
_TAG = late(r"</([\w.:|-]{1,64})>")
_LONGEST: Final = 4096
"""The number of characters behind a call in which the closer of its value is searched."""


def what_was_open(builder: Builder, draft: Draft, status: Status) -> str | None:
    """Returns the tag whose closer was inserted behind a value of the ending call.

    Returns "" for a text without quotes, and None if no text of the call may be cut.
    """
    # A sound call has all of its closers, and a call with a doubt does not run anyway.
    if status != "repaired" or draft.doubts:
        return None
    for each in builder.diagnostics_of(draft):
        if each.code == _BARE:
            return ""
        closers = "".join(edit.replacement for edit in each.edits)
        tag = _TAG.match(closers.strip()) if each.code == _CLOSER else None
        if tag is not None and _is_of_value(builder, draft, tag[1]):
            return tag[1]
    return None


def _is_of_value(builder: Builder, draft: Draft, tag: str) -> bool:
    """Whether a tag encloses a value of a call, not the call."""
    place = draft.arguments_start
    if place < 0:
        return False
    written = builder.source.slice(place, max(place, draft.arguments_end))
    # The brackets of an object show where it ends, whatever encloses it.
    if written.startswith(("{", "[")):
        return False
    # The tag of a single value precedes it: `<tool_input>rye`.
    before = builder.source.slice(max(draft.start, place - len(f"<{tag}>\n")), place)
    return f"<{tag}" in before + written


def doubt_cut_texts(builder: Builder) -> None:
    """Doubts calls that are followed by the rest of their text; called at the end of the message."""
    for index, tag in sorted(builder.turns.cut.items()):
        call = builder.calls[index]
        if _closes_behind(builder, call.span.end, tag) if tag else _goes_on(builder, index):
            message = "Found the end of a text behind its call, where the text may go on"
        elif builder.end.is_cut:
            message = "Found no end of a text, and the message was cut; the text may go on"
        else:
            continue
        code = _CLOSER if tag else _BARE
        # Its `CallEnd` was held back until now for this reason (`Withheld`).
        builder.calls[index] = replace(call, doubts=(*call.doubts, code))
        builder.report(code, "error", message, call.span)


def _goes_on(builder: Builder, index: int) -> bool:
    """Whether a string ends in the text behind a call."""
    start = builder.calls[index].span.end
    # Up to the next call: a string that ends behind that belongs to the next call.
    following = builder.calls[index + 1 :]
    stop = following[0].span.start if following else builder.source.length
    return any(
        start <= offset < stop and _REST.search(text[: stop - offset])
        for offset, text in builder.text_parts.stretches()
    )


def _closes_behind(builder: Builder, start: int, tag: str) -> bool:
    """Whether there is the closer of an element behind a place, but not its opener."""
    behind = builder.source.slice(start, min(start + _LONGEST, builder.source.length))
    closer, opener = behind.find(f"</{tag}>"), behind.find(f"<{tag}")
    # `<path>b</path>` behind the call is a complete element, not the end of the value.
    return closer >= 0 and not 0 <= opener < closer

"""Doubts texts that a closer in them may have cut, where the rest of them stands behind their call.

Example: of `<tool_call>{"name": "f", "arguments": {"text": Hello }}</tool_call> more"}}</tool_call>` the
call gets `Hello`; behind it the string ends, with its object. Where the closer of a value was put in, that
closer may stand behind the call. A text that holds the call's own opener, as "ls -l```bash" does, may
be cut as well: the model broke off, and began anew.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from toolgrammar.values.patterns import late
from toolgrammar.values.spans import Span

if TYPE_CHECKING:
    from toolgrammar.core.message.build import Builder
    from toolgrammar.core.message.draft import Draft
    from toolgrammar.values.calls import Status

CODE: Final = "unread-call"
"""The code of the doubt: the text may hold a call that could not be read."""
_LONGEST_OPENER: Final = 96
"""The most characters of an opener."""
_OPENER = late(r"<[^\W\d][^<>\n]{0,64}>|[^\w\s<>]{1,9} ?[\w.-]{1,64}|[A-Z]\w{1,32}: [\w.-]{1,64}")
"""A tag, or a mark or label and the word behind it, as in "```bash" or `Action: search`."""


def doubt_begun_anew(builder: Builder, draft: Draft) -> None:
    """Doubts the open call if its opener stands in the text that it carries.

    The opener counts with the name behind it, as prose may hold the mark alone.
    """
    if draft.inputs is None or draft.doubts:
        return
    opener = _OPENER.match(builder.source.slice(draft.start, draft.start + _LONGEST_OPENER))
    if opener is None:
        return
    # Where the text of the call is all of it, it begins with the opener.
    first = len(opener[0]) if draft.arguments_start <= draft.start else 0
    if "".join(draft.inputs).find(opener[0], first) < 0:
        return
    draft.doubts.append(CODE)
    message = f"Found `{opener[0][:40]}` in the text of a call that begins so; it may be another"
    builder.report(CODE, "error", message, Span(draft.start, draft.start))


_BARE: Final = "bare-text"
_CLOSER: Final = "missing-close-tag"
_REST = late(r"[\"'\u201d}\]]\s{0,16}(?:[}\]]|</|<[|\uff5c]|\[/)")
"""The end of a string or an object inside a call."""
_TAG = late(r"</([\w.:|-]{1,64})>")
_LONGEST: Final = 4096
"""Characters behind a call in which the closer of its value is looked for."""


def what_was_open(builder: Builder, draft: Draft, status: Status) -> str | None:
    """Returns the tag whose closer was put in behind a value of a call that ends.

    It is "" for a text without quotes; None where no text of the call may have been cut.
    """
    # A sound call has its own ends, and what is doubted already is not run.
    if status != "repaired" or draft.doubts:
        return None
    for each in builder.diagnostics[draft.diagnostics.listed :]:
        if each.code == _BARE:
            return ""
        closers = "".join(edit.replacement for edit in each.edits)
        tag = _TAG.match(closers.strip()) if each.code == _CLOSER else None
        if tag is not None and _is_of_value(builder, draft, tag[1]):
            return tag[1]
    return None


def _is_of_value(builder: Builder, draft: Draft, tag: str) -> bool:
    """Whether a tag stands around a value of a call, not around the call."""
    place = draft.arguments_start
    if place < 0:
        return False
    written = builder.source.slice(place, max(place, draft.arguments_end))
    # The brackets of an object tell where it ends, whatever stands around it.
    if written.startswith(("{", "[")):
        return False
    # The tag of the one value there is stands before it: `<tool_input>rye`.
    before = builder.source.slice(max(draft.start, place - len(f"<{tag}>\n")), place)
    return f"<{tag}" in before + written


def doubt_cut_texts(builder: Builder) -> None:
    """Doubts calls behind which the rest of their text stands, once the message has ended."""
    for index, tag in sorted(builder.turns.cut.items()):
        call = builder.calls[index]
        if _closes_behind(builder, call.span.end, tag) if tag else _goes_on(builder, index):
            message = "Found the end of a text behind its call, where the text may go on"
        elif builder.end.is_cut:
            message = "Found no end of a text, and the message was cut; the text may go on"
        else:
            continue
        code = _CLOSER if tag else _BARE
        # Its `CallEnd` was held back until now, for this (`Withheld`).
        builder.calls[index] = replace(call, doubts=(*call.doubts, code))
        builder.report(code, "error", message, call.span)


def _goes_on(builder: Builder, index: int) -> bool:
    """Whether a string ends in the text behind a call."""
    start = builder.calls[index].span.end
    # Up to the next call: what ends behind that is the end of a string in it.
    following = builder.calls[index + 1 :]
    stop = following[0].span.start if following else builder.source.length
    return any(
        start <= offset < stop and _REST.search(text[: stop - offset])
        for offset, text in builder.text_parts.stretches()
    )


def _closes_behind(builder: Builder, start: int, tag: str) -> bool:
    """Whether an element ends behind a place that did not begin there."""
    behind = builder.source.slice(start, min(start + _LONGEST, builder.source.length))
    closer, opener = behind.find(f"</{tag}>"), behind.find(f"<{tag}")
    # `<path>b</path>` behind the call is a whole element of its own.
    return closer >= 0 and not 0 <= opener < closer

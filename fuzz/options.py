"""Reads damaged texts with options that few callers set together, whole and in pieces.

Whatever is asked of a reader (`strict`, a prefix, limits, an end that the server cut), its readings
agree: `parse`, a stream in any pieces, and the events of that stream.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import toolgrammar
from fuzz.mixed import mixed_case, pieces_of
from toolgrammar import CallEnd, CallStart, Limits, Parser, ParseResult, TextDelta

if TYPE_CHECKING:
    import random

_FAR: Final = 16_000_000
_REASONS: Final = (None, None, "stop", "tool_calls", "length", "content_filter")


def options_of(text: str, prefix: str, draw: random.Random) -> dict[str, Any]:
    """Draws the options for reading a text.

    Args:
        text: the text.
        prefix: a prefix that fits it.
        draw: what is drawn from.
    """
    begun = text[: draw.randrange(len(text) + 1)]
    return {
        "strict": draw.random() < 0.3,
        "prefix": draw.choice((prefix, "", "<think>\n", "<tool_call>\n", begun)),
        "id_seed": draw.choice(("", "x")),
        "limits": Limits(
            max_chars=draw.choice((_FAR, _FAR, len(text) // 2, 10, 0)),
            max_depth=draw.choice((200, 200, None, 3, 1, 0)),
            max_calls=draw.choice((100_000, 100_000, 1, 0)),
        ),
    }


def contradiction(format_id: str, draw: random.Random) -> tuple[str, str]:
    """Returns a text, and how its readings contradict each other; that is empty where they agree."""
    case = mixed_case(format_id, draw)
    text = case.text
    options = options_of(text, case.prefix, draw)
    options |= {"format": case.format, "tools": case.tools}
    reason = draw.choice(_REASONS)
    whole = toolgrammar.parse(text, finish_reason=reason, **options)
    parser = Parser(**options)
    events = [event for piece in pieces_of(text, draw) for event in parser.feed(piece)]
    events += parser.close(reason)
    streamed = parser.result
    asked = f"{options}, {reason}"
    if _told(whole) != _told(streamed):
        return text, f"{asked}: {_told(whole)} whole, {_told(streamed)} in pieces"
    starts = [each.name for each in events if isinstance(each, CallStart)]
    ends = [each.call for each in events if isinstance(each, CallEnd)]
    said = "".join(each.text for each in events if isinstance(each, TextDelta))
    names = [call.name for call in whole.calls]
    if (starts, ends, said.strip()) != (names, list(whole.calls), whole.text):
        return text, f"{asked}: {whole.calls} and {whole.text!r}, but events {events}"
    limits = options["limits"]
    if len(whole.calls) > limits.max_calls:
        return text, f"{asked}: {len(whole.calls)} calls"
    spans = [call.span for call in whole.calls]
    spans += [each.span for each in whole.diagnostics]
    spans += [edit.span for each in whole.diagnostics for edit in each.edits]
    if outside := [each for each in spans if not 0 <= each.start <= each.end <= len(text)]:
        return text, f"{asked}: {outside} in a text of {len(text)} characters"
    return text, ""


def _told(result: ParseResult) -> tuple[object, ...]:
    return result.calls, result.text, result.reasoning, result.diagnostics, result.format

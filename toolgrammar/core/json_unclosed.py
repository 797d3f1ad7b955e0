"""Tells whether a string of a JSON payload ended before brackets, where its quote is missing.

The brackets must close what is open, and behind them a member must follow that an outer object may
have, or the markup around the payload. A string may hold all that as text: then its own quote comes
later, and strict JSON goes on behind it. So the next quote decides, if it is near.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgrammar.core.json_look import REACH, More, Undecided
from toolgrammar.values.patterns import late

if TYPE_CHECKING:
    from toolgrammar.core.json_ahead import LookAhead
    from toolgrammar.core.json_payload import JsonPayload

_RUN = late(r"(?:[}\]]\s{0,64}){1,64}")
_BRACKET = late(r"[}\]]")
_MEMBER = late(r',\s{0,64}"?')


def ended_before(payload: JsonPayload, start: int) -> bool:
    """Whether the open string ended at an index, where a closing bracket stands.

    Raises:
        More: the text so far does not decide.
    """
    text, final = payload.text, payload.final
    run = _RUN.match(text, start)
    index = start if run is None else run.end()
    if index == len(text):
        if not final and index - start < REACH:
            raise More
        return False  # the text may have been cut in the string
    level, behind = len(payload.stack) - 1, start
    for bracket in _BRACKET.finditer(text, start, index):
        if level < 0 or bracket.group() != payload.stack[level].closer:
            break
        level, behind = level - 1, bracket.end()
    if behind == start:
        return False
    if level < 0:
        return payload.frame_follows(behind, index) and not closes_later(payload, index)
    return not text[behind:index].strip() and _begins_member(payload, index, level)


def _begins_member(payload: JsonPayload, index: int, level: int) -> bool:
    """Whether a comma and a key of the object at a level stand here, and no end of the string."""
    text, frame = payload.text, payload.stack[level]
    match = _MEMBER.match(text, index)
    if match is None or not frame.is_object:
        return False
    quote = match.end() - 1
    if text[quote] != '"':
        if match.end() == len(text) and not payload.final:
            raise More
        return False
    payload.look(quote)
    try:
        if payload.goes_on_strictly(quote + 1):
            return False
        return payload.reads_key(quote, frame, at_end=False)
    except Undecided:
        return False


def closes_later(reader: LookAhead, index: int) -> bool:
    """Whether the next quote closes the string: what stands here is text then.

    Raises:
        More: the text so far does not decide.
    """
    text = reader.text
    quote = text.find('"', index, index + REACH)
    if quote < 0:
        if not reader.final and len(text) - index < REACH:
            raise More
        return len(text) - index >= REACH
    if text[quote - 1] == "\\":
        return True
    reader.look(quote)
    try:
        return reader.goes_on_strictly(quote + 1)
    except Undecided:
        return True

"""One call with a long argument, of a given size, as a format writes it."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, TypeAlias

from harness.source_code import snippet
from toolgrammar import RenderError, ToolCall

if TYPE_CHECKING:
    from toolgrammar import Format

Made: TypeAlias = tuple[list[tuple[str, Any]], str]
"""The calls of a message, and its text."""

PEER_TOOLS: list[dict[str, Any]] = [
    {
        "name": "write_file",
        "parameters": {
            "type": "object",
            "properties": {"path": {"type": "string"}, "body": {"type": "string"}},
            "required": ["path", "body"],
        },
    },
    {
        "name": "get_weather",
        "parameters": {
            "type": "object",
            "properties": {"city": {"type": "string"}, "note": {"type": "string"}},
            "required": ["city"],
        },
    },
]

_SIZING = 4
"""Bodies by which the length is found that gives messages of a size."""
_TRIES = 20
"""Bodies tried until the format can carry one."""


def fresh(form: Format, size: int, number: int, what: str = "") -> Made | None:
    """Returns a call and its text of about so many bytes; None if the format can't carry one.

    Args:
        form: the format that writes the call.
        size: bytes of the message.
        number: which message; no two numbers give the same.
        what: keeps the messages of one measurement apart from those of another.
    """
    length = _body_length(form, size)
    if length is None:
        return None
    for attempt in range(_TRIES):
        body = snippet(length, number * _TRIES + attempt, what)
        made = _written(form, body)
        if made is not None:
            return made
    return None


@cache
def _body_length(form: Format, size: int) -> int | None:
    """Returns how long a body is in a message of this size: markup and escapes are the rest."""
    length = size
    for _ in range(8):
        made = [_written(form, snippet(length, number, "sizing")) for number in range(_SIZING)]
        sizes = [len(each[1].encode()) for each in made if each is not None]
        if not sizes:
            return None
        got = sum(sizes) / len(sizes)
        if abs(got - size) <= size * 0.02:
            break
        length = max(16, round(length + (size - got) * min(1.0, length / got)))
    return length


def _written(form: Format, body: str) -> Made | None:
    arguments = {"path": "src/app.py", "body": body}
    try:
        text = form.render([ToolCall("write_file", arguments)])
    except RenderError:
        return None
    return [("write_file", arguments)], text

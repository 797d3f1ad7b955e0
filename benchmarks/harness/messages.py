"""Messages to time: one call of a tool with a long string, as two formats write it."""

from __future__ import annotations

import json
import re
from functools import cache
from typing import TYPE_CHECKING

from harness.source_code import snippet

if TYPE_CHECKING:
    from collections.abc import Callable

Calls = list[tuple[str, dict[str, object], str, str]]
"""Name, arguments, text of the message and status."""

PATH = "notes/summary.md"
TOOLS: list[object] = [
    {
        "name": "save_note",
        "parameters": {
            "type": "object",
            "properties": {"path": {"type": "string"}, "body": {"type": "string"}},
            "required": ["path", "body"],
        },
    },
    {
        "name": "find_note",
        "parameters": {"type": "object", "properties": {"words": {"type": "string"}}},
    },
]

_PIECE = re.compile(r"</?tool_call>|(?s:(?:(?!</?tool_call>).){1,4})")


def hermes(text: str) -> str:
    """Writes the call as JSON between tags."""
    call = {"name": "save_note", "arguments": {"path": PATH, "body": text}}
    return f"<tool_call>\n{json.dumps(call, ensure_ascii=False)}\n</tool_call>"


def qwen3_xml(text: str) -> str:
    """Writes the call as tags, the values as they stand."""
    return (
        "<tool_call>\n<function=save_note>\n"
        f"<parameter=path>\n{PATH}\n</parameter>\n"
        f"<parameter=body>\n{text}\n</parameter>\n"
        "</function>\n</tool_call>"
    )


WRITERS: dict[str, Callable[[str], str]] = {"hermes": hermes, "qwen3_xml": qwen3_xml}


def message(format_id: str, size: int, number: int) -> tuple[str, str]:
    """Returns a message of about this many bytes, and the long argument in it.

    Args:
        format_id: one of `WRITERS`.
        size: bytes of the message.
        number: which message; no two numbers give the same.
    """
    long = snippet(_body_length(format_id, size), number, format_id)
    return WRITERS[format_id](long), long


@cache
def _body_length(format_id: str, size: int) -> int:
    """Returns how long the argument is in messages of this size: escapes and markup are the rest."""
    write = WRITERS[format_id]
    length = size - len(write("").encode())
    for _ in range(8):
        sizes = [len(write(snippet(length, number, "sizing")).encode()) for number in range(4)]
        got = sum(sizes) / len(sizes)
        if abs(got - size) <= size * 0.02:
            break
        length = max(16, round(length + (size - got) * length / got))
    return length


def deltas(text: str) -> list[str]:
    """Cuts a message into pieces of four characters; special tokens stay whole."""
    return _PIECE.findall(text)


def floor_of_hermes(text: str) -> Calls:
    """Finds opener and closer and decodes what stands between: the least that can be done."""
    start = text.find("<tool_call>")
    end = text.find("</tool_call>", start)
    call = json.loads(text[start + 11 : end])
    return [(call["name"], call["arguments"], text[:start].strip(), "complete")]


_FUNCTION = re.compile(r"<function=([^>]+)>")
_PARAMETER = re.compile(r"<parameter=([^>]+)>\n(.*?)\n</parameter>", re.DOTALL)


def floor_of_qwen3_xml(text: str) -> Calls:
    """Finds opener and closer, and all parameters between them."""
    start = text.find("<tool_call>")
    end = text.find("</tool_call>", start)
    island = text[start + 11 : end]
    name = _FUNCTION.search(island)
    if name is None:
        return []
    return [(name[1], dict(_PARAMETER.findall(island)), text[:start].strip(), "complete")]


FLOORS: dict[str, Callable[[str], Calls]] = {
    "hermes": floor_of_hermes,
    "qwen3_xml": floor_of_qwen3_xml,
}

"""One call with a long argument, of a given size, as a format writes it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from toolgrammar import RenderError, ToolCall

if TYPE_CHECKING:
    from toolgrammar import Format

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

_LINE = (
    'def page_{}(event, kind="main"):\n    return {{"code": {}, "body": event["body"]}}  # naïve\n'
)


def code(size: int) -> str:
    """Returns about so many characters of code: quotes, brackets, line ends, no markup."""
    lines: list[str] = []
    length = 0
    while length < size:
        lines.append(_LINE.format(len(lines), len(lines)))
        length += len(lines[-1])
    return "".join(lines)[:size].rstrip() + "."


def sized(form: Format, size: int) -> tuple[list[tuple[str, Any]], str] | None:
    """Returns the call and its text of about so many bytes; None if the format can't carry it."""
    length = size
    for _ in range(8):  # markup and escapes make the text longer than its body
        arguments = {"path": "src/app.py", "body": code(length)}
        try:
            text = form.render([ToolCall("write_file", arguments)])
        except RenderError:
            return None
        got = len(text.encode())
        if abs(got - size) <= size * 0.02:
            break
        length = max(16, round(length + (size - got) * min(1.0, length / got)))
    return [("write_file", arguments)], text

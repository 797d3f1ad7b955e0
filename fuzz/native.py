"""Native calls whose arguments are damaged, and which the server cuts.

Example: of `{"city": "Oslo", "days": 3}` it makes `{"city": "Oslo"} "da`, in one piece or in many.
The message and the stream of it are read alike, and what runs are the arguments that were meant.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from fuzz.mixed import examples, pieces_of
from toolgrammar import ToolCall, parse
from toolgrammar.interop import openai

if TYPE_CHECKING:
    import random

    from toolgrammar import ParseResult

_MARKS: Final = "{}[]\"',:\\<> \n"
_CUT: Final = "length"
"""Why the server stopped."""


def broken(format_id: str, draw: random.Random) -> tuple[str, str]:
    """Returns damaged arguments of an example's call, and what is wrong with what was read of them.

    The arguments are empty where the example has none.
    """
    sample = draw.choice(examples(format_id))
    calls = parse(sample.text, format_id, tools=sample.tools, prefix=sample.prefix).calls
    meant = [call for call in calls if call.executable and call.arguments]
    if not meant:
        return "", ""
    call = draw.choice(meant)
    text = damaged(json.dumps(call.arguments, ensure_ascii=draw.random() < 0.5), draw)
    tools = draw.choice((None, sample.tools))
    whole = openai.repair_message(_message(call, text), tools=tools, finish_reason=_CUT).result
    stream = openai.repair_stream(_chunks(call, text, draw), tools=tools)
    for _ in stream:
        pass
    if _said(whole) != _said(stream.result):
        return text, f"read {_said(whole)} whole, {_said(stream.result)} in pieces"
    for found in whole.calls:
        is_meant = found.arguments == call.arguments or _is_json_of(text, found.arguments)
        if found.executable and not is_meant:
            return text, f"runs {found.name} {found.arguments}"
    return text, ""


def _is_json_of(text: str, arguments: dict[str, Any]) -> bool:
    """Whether a text is the JSON of these arguments: the damage stands in a string, and is read."""
    try:
        return bool(json.loads(text) == arguments)
    except ValueError:
        return False


def damaged(text: str, draw: random.Random) -> str:
    """Returns the beginning of a text in which a mark is dropped, doubled or another."""
    at = draw.choice([at for at, letter in enumerate(text) if letter in _MARKS])
    put_in = draw.choice(("", text[at] * 2, draw.choice(_MARKS)))
    text = text[:at] + put_in + text[at + 1 :]
    return text[: draw.randrange(1, len(text) + 1)]


def _message(call: ToolCall, text: str) -> dict[str, Any]:
    function = {"name": call.name, "arguments": text}
    own = {"id": "call_1", "type": "function", "function": function}
    return {"role": "assistant", "content": None, "tool_calls": [own]}


def _chunks(call: ToolCall, text: str, draw: random.Random) -> list[dict[str, Any]]:
    """Returns the chunks in which a server may send that message."""
    functions = [
        {"name": call.name, "arguments": ""},
        *({"arguments": piece} for piece in pieces_of(text, draw)),
    ]
    deltas = [{"tool_calls": [{"index": 0, "function": each}]} for each in functions]
    deltas[0]["tool_calls"][0]["id"] = "call_1"
    return [
        *({"choices": [{"delta": each}]} for each in deltas),
        {"choices": [{"delta": {}, "finish_reason": _CUT}]},
    ]


def _said(result: ParseResult) -> list[tuple[object, ...]]:
    return [(each.name, each.arguments, each.status, each.doubts) for each in result.calls]

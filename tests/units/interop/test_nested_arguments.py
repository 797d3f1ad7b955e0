"""Arguments that are a whole call, or a schema, are doubted in each shape of an API, as in a text."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

import toolgrammar
from toolgrammar.interop import anthropic, langchain, mcp, openai

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from toolgrammar import ToolCall


def tool(_name: str, /, **properties: str) -> dict[str, Any]:
    typed = {key: {"type": kind} for key, kind in properties.items()}
    return {"name": _name, "parameters": {"type": "object", "properties": typed}}


TOOLS = [
    tool("search", query="string", days="integer"),
    tool("delete_file", path="string"),
    tool("run_tool", name="string", arguments="object"),
    tool("make_form", type="string", properties="object"),
]
SCHEMA = {"type": "object", "properties": {"query": {"type": "string"}}}


def nested(name: str, **arguments: Any) -> dict[str, Any]:
    return {"name": name, "arguments": arguments}


def _chat(name: str, text: str) -> dict[str, Any]:
    call = {"index": 0, "id": "c", "type": "function"}
    return {**call, "function": {"name": name, "arguments": text}}


def _chunks(name: str, text: str) -> list[dict[str, Any]]:
    def delta(call: dict[str, Any], reason: str | None = None) -> dict[str, Any]:
        said = {"delta": {"tool_calls": [call]}, "index": 0, "finish_reason": reason}
        return {"choices": [said]}

    pieces = [{"index": 0, "function": {"arguments": each}} for each in text]
    last = {"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]}
    return [delta(_chat(name, "")), *map(delta, pieces), last]


def _events(name: str, text: str) -> list[dict[str, Any]]:
    """The events by which Anthropic streams a call."""
    block = {"type": "tool_use", "id": "c", "name": name, "input": {}}
    pieces = [{"type": "input_json_delta", "partial_json": each} for each in text]
    return [
        {"type": "content_block_start", "index": 0, "content_block": block},
        *({"type": "content_block_delta", "index": 0, "delta": each} for each in pieces),
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": "tool_use"}},
        {"type": "message_stop"},
    ]


def _item(name: str, text: str) -> dict[str, Any]:
    item = {"type": "function_call", "id": "fc", "call_id": "c", "status": "completed"}
    return {**item, "name": name, "arguments": text}


def _response_events(name: str, text: str) -> list[dict[str, Any]]:
    item, at, kind = _item(name, text), {"output_index": 0}, "response.function_call_arguments"
    return [
        {"type": "response.output_item.added", **at, "item": {**item, "arguments": ""}},
        *({"type": f"{kind}.delta", **at, "delta": each} for each in text),
        {"type": f"{kind}.done", **at, "arguments": text},
        {"type": "response.output_item.done", **at, "item": item},
        {"type": "response.completed", "response": {"status": "completed", "output": [item]}},
    ]


def _read(stream: Any) -> tuple[ToolCall, ...]:
    list(stream)
    calls: tuple[ToolCall, ...] = stream.result.calls
    return calls


def _block(name: str, text: str) -> dict[str, Any]:
    return {"type": "tool_use", "id": "c", "name": name, "input": json.loads(text)}


REPAIRED: dict[str, Callable[[str, str], Any]] = {
    "chat": lambda name, text: (
        openai.repair_message({"tool_calls": [_chat(name, text)]}, tools=TOOLS).result.calls
    ),
    "chat, streamed": lambda name, text: _read(
        openai.repair_stream(_chunks(name, text), tools=TOOLS)
    ),
    "chat, events": lambda name, text: _read(
        openai.from_stream(_chunks(name, text), repair=True, tools=TOOLS)
    ),
    "responses": lambda name, text: (
        openai.repair_response({"output": [_item(name, text)]}, tools=TOOLS).result.calls
    ),
    "responses, streamed": lambda name, text: _read(
        openai.repair_stream(_response_events(name, text), tools=TOOLS)
    ),
    "anthropic": lambda name, text: (
        anthropic.repair_message({"content": [_block(name, text)]}, tools=TOOLS).result.calls
    ),
    "anthropic, streamed": lambda name, text: _read(
        anthropic.repair_stream(_events(name, text), tools=TOOLS)
    ),
}
UNREPAIRED: dict[str, Callable[[str, str], Any]] = {
    "chat": lambda name, text: openai.from_tool_calls([_chat(name, text)]),
    "chat, streamed": lambda name, text: _read(openai.from_stream(_chunks(name, text))),
    "responses, streamed": lambda name, text: _read(
        openai.from_stream(_response_events(name, text))
    ),
    "anthropic": lambda name, text: anthropic.from_tool_calls([_block(name, text)]),
    "anthropic, streamed": lambda name, text: _read(anthropic.from_stream(_events(name, text))),
    "langchain": lambda name, text: langchain.from_tool_calls(
        [{"name": name, "args": json.loads(text)}]
    ),
    "mcp": lambda name, text: mcp.from_tool_calls(
        [{"id": 1, "method": "tools/call", "params": {"name": name, "arguments": json.loads(text)}}]
    ),
}


def check(
    read: Callable[[str, str], Sequence[ToolCall]],
    name: str,
    arguments: dict[str, Any],
    doubts: tuple[str, ...],
    tools: list[dict[str, Any]] | None,
) -> None:
    """Reads a native call, which may run where the same call may in a text."""
    text = json.dumps(arguments)
    [call] = read(name, text)
    assert (call.arguments, call.doubts, call.executable) == (arguments, doubts, not doubts)
    in_text = toolgrammar.parse(f"[TOOL_CALLS]{name}[ARGS]{text}", "mistral_v11", tools=tools)
    assert in_text.calls[0].executable is call.executable


@pytest.mark.parametrize("shape", REPAIRED)
@pytest.mark.parametrize(
    ("name", "arguments", "doubts"),
    [
        ("search", nested("search", query="Oslo"), ("duplicate-key",)),
        ("search", nested("delete_file", path="/a"), ("duplicate-key",)),
        ("search", {"name": "search", "arguments": '{"query": "Oslo"}'}, ("duplicate-key",)),
        ("search", {"tool_calls": [nested("search", query="Oslo")]}, ("duplicate-key",)),
        ("search", SCHEMA, ("quoted-call",)),
        # These tools have arguments of these names; and this is no call.
        ("run_tool", nested("delete_file", path="/a"), ()),
        ("make_form", SCHEMA, ()),
        ("search", nested("somebody", query="Oslo"), ()),
        ("search", {"query": '{"name": "search", "arguments": {}}'}, ()),
    ],
)
def test_a_repaired_call_is_doubted(
    shape: str, name: str, arguments: dict[str, Any], doubts: tuple[str, ...]
) -> None:
    check(REPAIRED[shape], name, arguments, doubts, TOOLS)


@pytest.mark.parametrize("shape", UNREPAIRED)
@pytest.mark.parametrize(
    ("name", "arguments", "doubts"),
    [
        ("search", nested("search", query="Oslo"), ("duplicate-key",)),
        ("search", SCHEMA, ("quoted-call",)),
        # The tools are not known here.
        ("search", nested("delete_file", path="/a"), ()),
        ("search", {"query": "Oslo"}, ()),
    ],
)
def test_without_tools_the_name_of_the_call_and_a_schema_tell(
    shape: str, name: str, arguments: dict[str, Any], doubts: tuple[str, ...]
) -> None:
    check(UNREPAIRED[shape], name, arguments, doubts, None)


def test_almost_json_is_doubted_too() -> None:
    text = '{"name": "search", "arguments": {"query": "Oslo"},}'
    for read in (
        openai.from_stream(_chunks("search", text)),
        openai.from_stream(_chunks("search", text), repair=True, tools=TOOLS),
    ):
        [call] = _read(read)
        assert (call.status, call.doubts) == ("repaired", ("duplicate-key",))


def test_what_goes_out_of_such_a_call_is_no_object() -> None:
    text = json.dumps(nested("search", query="Oslo"))
    repaired = openai.repair_message({"tool_calls": [_chat("search", text)]}, tools=TOOLS)
    streamed = openai.repair_stream(_chunks("search", text), tools=TOOLS)
    pieces = [
        call["function"].get("arguments", "")
        for chunk in streamed
        for choice in chunk["choices"]
        for call in choice["delta"].get("tool_calls", ())
    ]
    for out in (repaired["tool_calls"][0]["function"]["arguments"], "".join(pieces)):
        with pytest.raises(ValueError, match="delimiter"):
            json.loads(out)
    assert not repaired.result.ok
    [told] = repaired.result.diagnostics
    assert (told.code, told.severity) == ("duplicate-key", "error")
    assert "search" in told.message

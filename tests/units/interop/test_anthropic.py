"""Calls, messages and streams of Anthropic, held against the types of the anthropic package."""

import asyncio
import json
from collections.abc import AsyncIterator, Iterable
from typing import Any

import pytest
from anthropic.lib.streaming._messages import accumulate_event
from anthropic.types import Message as ApiMessage
from anthropic.types import MessageParam, RawMessageStreamEvent, ToolUseBlock
from pydantic import TypeAdapter

from tests.units.interop.native.broken_streams import Case, Piece, blocks
from tests.units.interop.streaming import MESSAGES, Message, calls_of, joined, read
from tests.units.interop.unsafe import UNSAFE, unsafe
from toolgrammar import (
    CallEnd,
    CallStart,
    Event,
    ParseResult,
    ReasoningDelta,
    TextDelta,
    ToolCall,
)
from toolgrammar.interop.anthropic import (
    from_stream,
    from_tool_calls,
    repair_message,
    repair_stream,
    to_message,
    to_stream,
    to_tool_calls,
)

every_message = pytest.mark.parametrize("message", MESSAGES.values(), ids=MESSAGES)
every_size = pytest.mark.parametrize("size", [1, 7, 10_000])

_EVENTS: TypeAdapter[Any] = TypeAdapter(RawMessageStreamEvent)


def accumulated(chunks: Iterable[dict[str, Any]]) -> ApiMessage:
    """Adds up the events as the anthropic package does."""
    snapshot: Any = None
    buffers: dict[int, bytes] = {}
    for chunk in chunks:
        event = _EVENTS.validate_python(chunk)
        snapshot = accumulate_event(event=event, current_snapshot=snapshot, json_bufs=buffers)
    assert isinstance(snapshot, ApiMessage)
    return snapshot


# Calls


def test_calls_become_tool_use_blocks() -> None:
    calls = [ToolCall("f", {"a": "ü"}), ToolCall("g", {}, id="own"), ToolCall("bash", input="ls")]
    found = to_tool_calls(calls, id_prefix="turn2_")
    for block in found:
        ToolUseBlock.model_validate(block, strict=True)
    assert [(block["id"], block["name"], block["input"]) for block in found] == [
        ("turn2_0", "f", {"a": "ü"}),
        ("own", "g", {}),
        ("turn2_2", "bash", {"input": "ls"}),
    ]


def test_tool_use_blocks_become_calls_again() -> None:
    calls = [ToolCall("f", {"a": [1, {"b": None}]}, id="x"), ToolCall("g", {}, id="y")]
    blocks = to_tool_calls(calls)
    assert from_tool_calls([{"type": "text", "text": "Hi"}, *blocks]) == calls
    assert from_tool_calls([ToolUseBlock(**block) for block in blocks]) == calls
    assert from_tool_calls(None) == []
    assert from_tool_calls("only text") == []


def test_what_is_no_block_is_the_callers_mistake() -> None:
    with pytest.raises(TypeError, match="expected a dict or a model of the API, got int"):
        from_tool_calls([5])


@every_size
@pytest.mark.parametrize("case", UNSAFE.values(), ids=UNSAFE)
def test_a_call_that_is_not_executable_stays_so(case: tuple[str, str], size: int) -> None:
    events, result = unsafe(case, size)
    blocks = to_tool_calls(result.calls)
    for block in blocks:
        ToolUseBlock.model_validate(block, strict=True)
    chunks = list(to_stream(events))
    for back in (from_tool_calls(blocks), calls_of(list(from_stream(chunks)))):
        assert [(call.name, call.executable) for call in back] == [("rm", False)]
    cut = result.calls[0].status == "truncated"
    assert chunks[-2]["delta"]["stop_reason"] == ("max_tokens" if cut else "tool_use")
    assert accumulated(chunks).content[-1 if cut else 0].type == "tool_use"


# Messages


@every_message
def test_a_message_has_the_apis_shape(message: Message) -> None:
    _, result = read(message, 10_000)
    found = to_message(result)
    TypeAdapter(MessageParam).validate_python(found)
    texts = [block["text"] for block in found["content"] if block["type"] == "text"]
    assert texts == ([result.text] if result.text else [])
    calls = from_tool_calls(found["content"])
    assert [call.name for call in calls] == [*message.names]
    assert [call.arguments for call in calls] == [*message.arguments]


def test_thinking_is_left_out_unless_it_is_asked_for() -> None:
    result = ParseResult(text="Hi", reasoning="Hm", calls=(ToolCall("f"),))
    assert [block["type"] for block in to_message(result)["content"]] == ["text", "tool_use"]
    with_it = to_message(result, thinking=True)
    TypeAdapter(MessageParam).validate_python(with_it)
    assert with_it["content"][0] == {"type": "thinking", "thinking": "Hm", "signature": ""}


# Streams


@every_size
@every_message
def test_a_stream_adds_up_to_the_message(message: Message, size: int) -> None:
    events, result = read(message, size)
    found = accumulated(to_stream(events, id_prefix="t_", model="m", message_id="c"))
    expected = to_message(result, id_prefix="t_")
    assert (found.id, found.model, found.role) == ("c", "m", "assistant")
    texts = [block.text for block in found.content if block.type == "text"]
    assert "".join(texts).strip() == result.text
    assert all(text.strip() for text in texts)
    calls = [block for block in found.content if block.type == "tool_use"]
    wanted = [block for block in expected["content"] if block["type"] == "tool_use"]
    assert [(c.id, c.name, c.input) for c in calls] == [
        (block["id"], block["name"], block["input"]) for block in wanted
    ]
    assert found.stop_reason == ("tool_use" if calls else "end_turn")


@every_size
@every_message
def test_a_stream_comes_back_as_events(message: Message, size: int) -> None:
    events, result = read(message, size)
    back = list(from_stream(to_stream(events, thinking=True)))
    text, reasoning, arguments = joined(back)
    assert (text.strip(), reasoning.strip()) == (result.text, result.reasoning)
    assert [call.name for call in calls_of(back)] == [*message.names]
    assert [call.arguments for call in calls_of(back)] == [*message.arguments]
    assert [json.loads(arguments[index]) for index in sorted(arguments)] == [*message.arguments]


@every_message
def test_blocks_follow_one_another(message: Message) -> None:
    events, _ = read(message, 5)
    chunks = list(to_stream(events, thinking=True))
    assert chunks[0]["type"] == "message_start"
    assert [chunk["type"] for chunk in chunks[-2:]] == ["message_delta", "message_stop"]
    current, count = -1, 0
    for chunk in chunks[1:-2]:
        if chunk["type"] == "content_block_start":
            assert current == -1
            current = chunk["index"]
            assert current == count
            count += 1
        else:
            assert chunk["index"] == current
            if chunk["type"] == "content_block_stop":
                current = -1
    assert current == -1


def test_models_of_the_package_are_read_too() -> None:
    events, _ = read(MESSAGES["two-calls"], 3)
    chunks = list(to_stream(events, thinking=True))
    models = [_EVENTS.validate_python(chunk) for chunk in chunks]
    assert list(from_stream(models)) == list(from_stream(chunks))


def test_a_stream_has_what_the_caller_says_of_its_message() -> None:
    events = [TextDelta("Hi")]
    found = accumulated(to_stream(events, message_id="c", model="m", stop_reason="refusal"))
    assert (found.id, found.model, found.stop_reason) == ("c", "m", "refusal")
    call: list[Event] = [CallStart(0, "f"), CallEnd(0, ToolCall("f"))]
    first, second = (accumulated(to_stream(call, message_id=each)).content for each in "cd")
    assert first != second


@pytest.mark.parametrize("given", [[], [{"type": "message_start", "message": {"id": "c"}}]])
def test_a_repaired_stream_begins_with_a_whole_message(given: list[dict[str, Any]]) -> None:
    block = {"type": "text", "text": "Hi"}
    chunks = [*given, {"type": "content_block_start", "index": 0, "content_block": block}]
    found = accumulated(repair_stream(chunks))
    assert (found.id, found.role, found.type) == ("c" if given else "", "assistant", "message")
    assert found.content[0].text == "Hi"  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ({"stop_reason": "stop_sequence", "stop_sequence": "END"}, ("stop_sequence", "END")),
        ({"stop_reason": "refusal", "stop_sequence": None}, ("refusal", None)),
        ({"stop_reason": "odd", "stop_sequence": "END"}, ("end_turn", None)),
    ],
)
def test_a_repaired_stream_without_calls_ends_for_the_servers_reason(
    given: dict[str, Any], wanted: tuple[str, str | None]
) -> None:
    block = {"type": "text", "text": "Hi"}
    chunks = [
        {"type": "content_block_start", "index": 0, "content_block": block},
        {"type": "message_delta", "delta": given, "usage": {"output_tokens": 1}},
    ]
    found = accumulated(repair_stream(chunks))
    assert (found.stop_reason, found.stop_sequence) == wanted


def test_an_async_stream_gives_an_async_stream() -> None:
    events, _ = read(MESSAGES["two-calls"], 3)

    async def source() -> AsyncIterator[Event]:
        for event in events:
            yield event

    async def collect() -> list[dict[str, Any]]:
        return [chunk async for chunk in to_stream(source())]

    assert asyncio.run(collect()) == list(to_stream(events))


def test_white_space_alone_makes_no_block() -> None:
    events: list[Event] = [
        TextDelta("\n"),
        CallStart(0, "f"),
        CallEnd(0, ToolCall("f")),
        TextDelta(" \n"),
    ]
    starts = [c for c in to_stream(events) if c["type"] == "content_block_start"]
    assert [start["content_block"]["type"] for start in starts] == ["tool_use"]
    later = [TextDelta("\n"), TextDelta(" a"), TextDelta(" ")]
    assert joined(list(from_stream(to_stream(later))))[0] == "\n a "


def test_a_call_that_is_cut_off_is_not_executable() -> None:
    block = {"type": "tool_use", "id": "x", "name": "f", "input": {}}
    delta = {"type": "input_json_delta", "partial_json": '{"a": "half'}
    chunks = [
        {"type": "content_block_start", "index": 0, "content_block": block},
        {"type": "content_block_delta", "index": 0, "delta": delta},
    ]
    (call,) = calls_of(list(from_stream(chunks)))
    assert (call.id, call.status, call.executable) == ("x", "truncated", False)


def test_what_a_block_starts_with_is_read() -> None:
    blocks = [
        {"type": "text", "text": "Hi"},
        {"type": "thinking", "thinking": "Hm", "signature": ""},
        {"type": "tool_use", "id": "x", "name": "f", "input": {"a": 1}},
        {"type": "redacted_thinking", "data": "…"},
    ]
    chunks: list[dict[str, Any]] = []
    for index, block in enumerate(blocks):
        chunks.append({"type": "content_block_start", "index": index, "content_block": block})
        chunks.append({"type": "content_block_stop", "index": index})
    back = list(from_stream([{"type": "ping"}, *chunks]))
    assert back[:2] == [TextDelta("Hi"), ReasoningDelta("Hm")]
    assert calls_of(back) == [ToolCall("f", {"a": 1}, id="x")]


@pytest.mark.parametrize("name", [{}, {"name": None}, {"name": 5}])
def test_a_block_without_a_name_is_the_callers_mistake(name: dict[str, Any]) -> None:
    with pytest.raises(KeyError, match="has its name under name"):
        from_tool_calls([{"type": "tool_use", **name}])


@pytest.mark.parametrize("given", ['{"n": 1}', {"INVALID_JSON": '{"n": 1}'}], ids=repr)
def test_an_input_that_is_a_text_becomes_an_object(given: object) -> None:
    block = {"type": "tool_use", "id": "a", "name": "f", "input": given}
    repaired = repair_message({"role": "assistant", "content": [block]}, "hermes")
    assert repaired["content"] == [{**block, "input": {"n": 1}}]
    assert repaired.result.ok


def test_the_signature_of_thinking_goes_through_a_repair() -> None:
    """Without it the API refuses the thinking in the next request."""
    chunks: list[dict[str, Any]] = [
        {"type": "message_start", "message": {"role": "assistant", "content": []}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "thinking", "thinking": ""}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "thinking_delta", "thinking": "Hm"}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "signature_delta", "signature": "S"}},
        {"type": "content_block_stop", "index": 0},
        {"type": "content_block_start", "index": 1,
         "content_block": {"type": "tool_use", "id": "a", "name": "f", "input": {}}},
        {"type": "content_block_delta", "index": 1,
         "delta": {"type": "input_json_delta", "partial_json": "{'n': 1}"}},
        {"type": "content_block_stop", "index": 1},
        {"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 1}},
        {"type": "message_stop"},
    ]  # fmt: skip
    out = list(repair_stream(chunks))
    deltas = [each["delta"] for each in out if each["type"] == "content_block_delta"]
    assert {"type": "signature_delta", "signature": "S"} in deltas
    assert "".join(each.get("partial_json", "") for each in deltas) == '{"n": 1}'


def test_blocks_of_one_kind_keep_their_citations_and_signatures() -> None:
    blocks: list[dict[str, Any]] = [
        {"type": "thinking", "thinking": "Hm.", "signature": "S1"},
        {"type": "thinking", "thinking": "So.", "signature": "S2"},
        {"type": "text", "text": "It says <b>", "citations": [{"cited_text": "a"}]},
        {"type": "text", "text": "so, and", "citations": [{"cited_text": "b"}]},
    ]
    chunks: list[dict[str, Any]] = [{"type": "message_start", "message": {"role": "assistant"}}]
    for index, block in enumerate(blocks):
        kind = block["type"]
        deltas = [{"type": f"{kind}_delta", kind: block[kind]}]
        deltas += [
            {"type": "citations_delta", "citation": each} for each in block.get("citations", [])
        ]
        if kind == "thinking":
            deltas.append({"type": "signature_delta", "signature": block["signature"]})
        begun = {"type": kind, kind: ""}
        chunks.append({"type": "content_block_start", "index": index, "content_block": begun})
        chunks += [
            {"type": "content_block_delta", "index": index, "delta": each} for each in deltas
        ]
        chunks.append({"type": "content_block_stop", "index": index})
    chunks.append({"type": "message_delta", "delta": {"stop_reason": "end_turn"}})
    found: dict[int, list[str]] = {}
    for each in repair_stream(chunks, "hermes"):
        if each["type"] == "content_block_delta":
            found.setdefault(each["index"], []).append(each["delta"]["type"])
    signed, cited = ["thinking_delta", "signature_delta"], ["text_delta", "citations_delta"]
    assert found == {0: signed, 1: signed, 2: cited, 3: cited}


def test_the_pieces_of_a_block_are_those_with_its_index() -> None:
    begun = [
        {"type": "content_block_start", "index": index,
         "content_block": {"type": "tool_use", "id": name, "name": name, "input": {}}}
        for index, name in enumerate("fg")
    ]  # fmt: skip
    pieces = [(0, '{"a"'), (0, ": 1}"), (1, '{"b": 2}')]
    deltas = [
        {"type": "content_block_delta", "index": index,
         "delta": {"type": "input_json_delta", "partial_json": piece}}
        for index, piece in pieces
    ]  # fmt: skip
    stops = [{"type": "content_block_stop", "index": index} for index in (0, 1)]
    chunks = [begun[0], *deltas[:2], stops[0], begun[1], deltas[2], stops[1]]
    # A piece of a block that is over belongs to none.
    late = [begun[0], *deltas[:2], stops[0], begun[1], deltas[1], deltas[2], stops[1]]
    for given in (chunks, late):
        calls = [each.call for each in from_stream(given) if isinstance(each, CallEnd)]
        assert [(call.name, call.arguments) for call in calls] == [("f", {"a": 1}), ("g", {"b": 2})]


@pytest.mark.parametrize("arguments", ['{"path": "a", "text": "', '{"path": "a", "te', "{", ""])
def test_a_message_that_was_cut_in_a_call_has_none_that_runs(arguments: str) -> None:
    """The package gives what it could read of the input as a whole dict."""
    given = Case("cut", (Piece(arguments, "save", "c1"),), finish="length")
    message = accumulated(blocks(given, 3))
    assert isinstance(message.content[0].input, dict)  # type: ignore[union-attr]
    found = repair_message(message)
    assert [call.executable for call in found.result.calls] == [False]
    assert found["stop_reason"] == "max_tokens"
    assert not found.result.ok


def test_a_text_in_several_blocks_is_read_as_one() -> None:
    call = '<tool_call>\n{"name": "f", "arguments": {"n": 1}}\n</tool_call>'
    parts = [{"type": "text", "text": part} for part in ("See. ", call[:20], call[20:])]
    found = repair_message({"role": "assistant", "content": parts}, "hermes")
    assert [block["type"] for block in found["content"]] == ["text", "tool_use"]
    assert found.result.calls[0].arguments == {"n": 1}
    plain = {"role": "assistant", "content": parts[:1] * 2}
    assert repair_message(plain, "hermes") == plain


def test_the_thinking_of_a_message_is_its_reasoning() -> None:
    thought = {"type": "thinking", "thinking": "Hm.", "signature": "S"}
    message = {"role": "assistant", "content": [thought, {"type": "text", "text": "Well."}]}
    found = repair_message(message)
    assert found == message
    assert (found.result.reasoning, found.result.text) == ("Hm.", "Well.")

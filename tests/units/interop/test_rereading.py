"""Messages and streams whose calls the server left as text."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest
from anthropic.types import Message, RawMessageStreamEvent
from openai.types.chat import ChatCompletionChunk, ChatCompletionMessage
from pydantic import TypeAdapter

from toolgrammar import CallEnd, ToolCall, stream
from toolgrammar.interop import anthropic, openai

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

ANY_EVENT: TypeAdapter[Any] = TypeAdapter(RawMessageStreamEvent)
TOOLS = [{"name": "weather", "parameters": {"properties": {"city": {"type": "string"}}}}]
CALL = '<tool_call>\n{"name": "weather", "arguments": {"city": "Oslo"}}\n</tool_call>'
TEXT = f"On it.\n{CALL}"
OWN = {"id": "own", "type": "function", "function": {"name": "now", "arguments": "{}"}}
WANTED = ToolCall("weather", {"city": "Oslo"})


def ended(events: Any) -> list[ToolCall]:
    return [each.call for each in events if isinstance(each, CallEnd)]


def without_ids(calls: list[ToolCall]) -> list[ToolCall]:
    return [ToolCall(call.name, call.arguments) for call in calls if call.executable]


# ------------------------------------------------------------------------------- openai


@pytest.mark.parametrize("model", [False, True])
def test_a_completion_gets_its_calls(*, model: bool) -> None:
    given: Any = {"role": "assistant", "content": TEXT, "tool_calls": [OWN]}
    if model:
        given = ChatCompletionMessage.model_validate(given)
    found = openai.repair_message(given, "hermes", TOOLS)
    ChatCompletionMessage.model_validate(found, strict=True)
    assert found["content"] == "On it."
    calls = openai.from_tool_calls(found["tool_calls"])
    assert [call.name for call in calls] == ["now", "weather"]
    assert calls[1].executable
    assert found["tool_calls"][0]["id"] == "own"
    assert found["tool_calls"][1]["id"].startswith("call_")


@pytest.mark.parametrize("content", ["No calls.", None, ""])
def test_a_completion_without_them_stays(content: str | None) -> None:
    given = {"role": "assistant", "content": content}
    assert openai.repair_message(given, "hermes", TOOLS) == given


def test_a_completion_that_was_cut_has_no_executable_call() -> None:
    given = {"role": "assistant", "content": "Action: weather\nAction Input: Os"}
    for reason, runs in (("length", False), ("stop", True)):
        found = openai.repair_message(given, "react", TOOLS, finish_reason=reason)
        (call,) = openai.from_tool_calls(found["tool_calls"])
        assert call.executable is runs


def completion(text: str, size: int, finish: str, *own: dict[str, Any]) -> list[Any]:
    deltas: list[dict[str, Any]] = [{"role": "assistant", "content": ""}]
    deltas += [{"content": text[at : at + size]} for at in range(0, len(text), size)]
    deltas += [{"tool_calls": [{"index": index, **each}]} for index, each in enumerate(own)]
    head: dict[str, Any] = {
        "id": "c1",
        "object": "chat.completion.chunk",
        "created": 5,
        "model": "m",
    }
    choices: list[dict[str, Any]] = [
        {"index": 0, "delta": delta, "finish_reason": None} for delta in deltas
    ]
    choices.append({"index": 0, "delta": {}, "finish_reason": finish})
    usage = {"prompt_tokens": 1, "completion_tokens": 2, "total_tokens": 3}
    chunks = [{**head, "choices": [choice]} for choice in choices]
    return [
        ChatCompletionChunk.model_validate(each)
        for each in [*chunks, {**head, "choices": [], "usage": usage}]
    ]


@pytest.mark.parametrize("size", [1, 7, 1000])
def test_a_streamed_completion_gets_its_calls(size: int) -> None:
    out = list(openai.repair_stream(completion(TEXT, size, "stop", OWN), "hermes", TOOLS))
    for chunk in out:
        ChatCompletionChunk.model_validate(chunk)
        assert (chunk["id"], chunk["model"], chunk["created"]) == ("c1", "m", 5)
    assert out[-1]["usage"]["total_tokens"] == 3
    assert out[-2]["choices"][0]["finish_reason"] == "tool_calls"
    events = list(openai.from_stream(out))
    assert without_ids(ended(events)) in ([WANTED, ToolCall("now")], [ToolCall("now"), WANTED])
    assert "".join(getattr(each, "text", "") for each in events).strip() == "On it."


def test_an_async_completion_gives_an_async_one() -> None:
    async def coming() -> AsyncIterator[Any]:
        for chunk in completion(TEXT, 7, "stop"):
            yield chunk

    async def main() -> list[Any]:
        return [each async for each in openai.repair_stream(coming(), "hermes", TOOLS)]

    wanted = list(openai.repair_stream(completion(TEXT, 7, "stop"), "hermes", TOOLS))
    assert asyncio.run(main()) == wanted


@pytest.mark.parametrize("finish", ["stop", "length"])
def test_a_cut_stream_says_so(finish: str) -> None:
    cut = "Action: weather\nAction Input: Os"
    out = list(openai.repair_stream(completion(cut, 5, finish), "react", TOOLS))
    runs = finish == "stop"
    assert [call.executable for call in ended(openai.from_stream(out))] == [runs]
    assert out[-2]["choices"][0]["finish_reason"] == ("tool_calls" if runs else "length")


def test_text_and_errors_go_through() -> None:
    chunks = [*completion("Just text.", 3, "stop"), {"error": {"message": "overloaded"}}]
    out = list(openai.repair_stream(chunks, "hermes", TOOLS))
    assert {"error": {"message": "overloaded"}} in out
    events = [each for each in openai.from_stream(out) if not hasattr(each, "diagnostic")]
    assert "".join(each.text for each in events) == "Just text."  # type: ignore[union-attr]
    assert out[-2]["choices"][0]["finish_reason"] == "stop"
    assert list(openai.repair_stream([], "hermes"))[-1]["choices"][0]["finish_reason"] == "stop"


# ------------------------------------------------------------------------------- anthropic


def message(*content: dict[str, Any], stop_reason: str = "end_turn") -> dict[str, Any]:
    return {
        "id": "m1",
        "type": "message",
        "role": "assistant",
        "model": "m",
        "content": list(content),
        "stop_reason": stop_reason,
        "stop_sequence": None,
        "usage": {"input_tokens": 1, "output_tokens": 2},
    }


@pytest.mark.parametrize("model", [False, True])
def test_a_message_gets_its_calls(*, model: bool) -> None:
    own = {"type": "tool_use", "id": "own", "name": "now", "input": {}}
    given: Any = message({"type": "text", "text": TEXT}, own)
    found = anthropic.repair_message(
        Message.model_validate(given) if model else given, "hermes", TOOLS
    )
    Message.model_validate(found)
    assert found["stop_reason"] == "tool_use"
    assert [block["type"] for block in found["content"]] == ["text", "tool_use", "tool_use"]
    calls = anthropic.from_tool_calls(found["content"])
    assert without_ids(calls) == [WANTED, ToolCall("now")]
    plain = message({"type": "text", "text": "No calls."})
    assert anthropic.repair_message(plain, "hermes", TOOLS) == plain


def test_a_message_that_was_cut_has_no_executable_call() -> None:
    cut = {"type": "text", "text": "Action: weather\nAction Input: Os"}
    for reason, runs in (("max_tokens", False), ("end_turn", True)):
        found = anthropic.repair_message(message(cut, stop_reason=reason), "react", TOOLS)
        assert [each.executable for each in anthropic.from_tool_calls(found["content"])] == [runs]
        assert found["stop_reason"] == ("tool_use" if runs else "max_tokens")


@pytest.mark.parametrize("size", [1, 7, 1000])
@pytest.mark.parametrize("reason", ["end_turn", "max_tokens"])
def test_a_streamed_message_gets_its_calls(size: int, reason: str) -> None:
    events = stream([TEXT[at : at + size] for at in range(0, len(TEXT), size)], "pythonic")
    theirs = list(anthropic.to_stream(events, message_id="m1", model="m", stop_reason=reason))
    assert not ended(anthropic.from_stream(theirs))
    theirs.insert(1, {"type": "ping"})
    out = list(
        anthropic.repair_stream(
            [
                ANY_EVENT.validate_python(each) if each["type"] != "ping" else each
                for each in theirs
            ],
            "hermes",
            TOOLS,
        )
    )
    for each in out:
        if each["type"] != "ping":
            ANY_EVENT.validate_python(each)
    assert [each["type"] for each in out[:2]] == ["message_start", "ping"]
    assert out[0]["message"]["id"] == "m1"
    assert without_ids(ended(anthropic.from_stream(out))) == [WANTED]
    assert out[-2]["delta"]["stop_reason"] == ("tool_use" if reason == "end_turn" else reason)

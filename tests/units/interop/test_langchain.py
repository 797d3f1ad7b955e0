"""Calls, messages and streams of LangChain, held against the types of langchain-core."""

import asyncio
from collections.abc import AsyncIterator, Iterable
from typing import Any

import pytest
from langchain_core.messages import AIMessage, AIMessageChunk, convert_to_messages
from langchain_core.messages import InvalidToolCall as ApiInvalidToolCall
from langchain_core.messages.tool import ToolCall as ApiToolCall
from pydantic import TypeAdapter

from tests.units.interop.streaming import MESSAGES, Message, calls_of, joined, read
from tests.units.interop.unsafe import UNSAFE, unsafe
from toolgrammar import CallEnd, CallStart, Event, ParseResult, TextDelta, ToolCall
from toolgrammar.interop.langchain import (
    from_stream,
    from_tool_calls,
    to_invalid_tool_calls,
    to_message,
    to_stream,
    to_tool_calls,
)

every_message = pytest.mark.parametrize("message", MESSAGES.values(), ids=MESSAGES)
every_size = pytest.mark.parametrize("size", [1, 7, 10_000])

BROKEN = ToolCall("f", {}, raw_arguments='{"a', status="unreadable", error="no JSON")


def accumulated(chunks: Iterable[dict[str, Any]]) -> AIMessageChunk:
    """Adds up the chunks as langchain-core does."""
    first, *others = [AIMessageChunk.model_validate(chunk) for chunk in chunks]
    return first.__add__(others)


# Calls


def test_calls_become_tool_calls() -> None:
    calls = [ToolCall("f", {"a": "ü"}), ToolCall("g", {}, id="own"), ToolCall("bash", input="ls")]
    found = to_tool_calls(calls, id_prefix="turn2_")
    TypeAdapter(list[ApiToolCall]).validate_python(found, strict=True)
    assert [(call["id"], call["name"], call["args"]) for call in found] == [
        ("turn2_0", "f", {"a": "ü"}),
        ("own", "g", {}),
        ("turn2_2", "bash", {"input": "ls"}),
    ]


def test_calls_with_an_error_stand_apart_and_keep_their_place() -> None:
    calls = [BROKEN, ToolCall("g")]
    invalid = to_invalid_tool_calls(calls)
    TypeAdapter(list[ApiInvalidToolCall]).validate_python(invalid, strict=True)
    assert invalid == [
        {
            "name": "f",
            "args": '{"a',
            "id": "call_0",
            "error": "no JSON",
            "type": "invalid_tool_call",
        }
    ]
    assert [call["id"] for call in to_tool_calls(calls)] == ["call_1"]


def test_tool_calls_become_calls_again() -> None:
    calls = [ToolCall("f", {"a": [1, {"b": None}]}, id="x"), ToolCall("g", {}, id="y")]
    assert from_tool_calls(to_tool_calls(calls)) == calls
    assert from_tool_calls(AIMessage("", tool_calls=to_tool_calls(calls)).tool_calls) == calls
    (broken,) = from_tool_calls(to_invalid_tool_calls([BROKEN]))
    assert (broken.name, broken.arguments, broken.status) == ("f", {}, "unreadable")
    assert (broken.raw_arguments, broken.error, broken.executable) == ('{"a', "no JSON", False)
    assert from_tool_calls(None) == []


def test_an_error_holds_even_where_the_arguments_can_be_read() -> None:
    call = {"name": "f", "args": '{"a": 1}', "id": "x", "error": "refused"}
    (found,) = from_tool_calls([call])
    assert (found.arguments, found.error, found.executable) == ({}, "refused", False)


@every_size
@pytest.mark.parametrize("case", UNSAFE.values(), ids=UNSAFE)
def test_a_call_that_is_not_executable_is_invalid(case: tuple[str, str], size: int) -> None:
    events, result = unsafe(case, size)
    assert to_tool_calls(result.calls) == []
    (invalid,) = to_invalid_tool_calls(result.calls)
    assert invalid["error"]
    assert invalid["args"] == result.calls[0].raw_arguments
    made = AIMessage(**to_message(result))
    for found in (made, accumulated(to_stream(events))):
        assert found.tool_calls == []
        assert [call["name"] for call in found.invalid_tool_calls] == ["rm"]
        back = from_tool_calls(found.invalid_tool_calls)
        assert [call.executable for call in back] == [False]
    assert [call.executable for call in calls_of(list(from_stream(to_stream(events))))] == [False]


# Messages


@every_message
def test_a_message_has_the_shape_of_langchain(message: Message) -> None:
    _, result = read(message, 10_000)
    found = to_message(result)
    for made in (AIMessage(**found), *convert_to_messages([found])):
        assert isinstance(made, AIMessage)
        assert made.content == result.text
        assert [call["name"] for call in made.tool_calls] == [*message.names]
        assert [call["args"] for call in made.tool_calls] == [*message.arguments]


def test_a_message_keeps_calls_with_an_error() -> None:
    result = ParseResult(calls=(BROKEN, ToolCall("g")), reasoning="Hm")
    made = AIMessage(**to_message(result))
    assert [call["name"] for call in made.tool_calls] == ["g"]
    assert [call["error"] for call in made.invalid_tool_calls] == ["no JSON"]
    assert made.additional_kwargs == {"reasoning_content": "Hm"}


# Streams


@every_size
@every_message
def test_a_stream_adds_up_to_the_message(message: Message, size: int) -> None:
    events, result = read(message, size)
    found = accumulated(to_stream(events, id_prefix="t_"))
    expected = to_message(result, id_prefix="t_")
    assert str(found.content).strip() == result.text
    assert found.tool_calls == expected["tool_calls"]
    assert [call["args"] for call in found.tool_calls] == [*message.arguments]
    assert found.invalid_tool_calls == []


@every_size
@every_message
def test_a_stream_comes_back_as_events(message: Message, size: int) -> None:
    events, result = read(message, size)
    chunks = list(to_stream(events))
    back = list(from_stream(chunks))
    text, reasoning, _ = joined(back)
    assert (text.strip(), reasoning.strip()) == (result.text, result.reasoning)
    assert [call.arguments for call in calls_of(back)] == [*message.arguments]
    assert list(from_stream([AIMessageChunk.model_validate(chunk) for chunk in chunks])) == back


def test_ids_that_are_made_differ_between_messages_with_other_texts() -> None:
    made = set()
    for text in ("Oslo", "Bergen"):
        chunks = to_stream([TextDelta(text), CallStart(0, "f", None), CallEnd(0, ToolCall("f"))])
        made |= {call["id"] for chunk in chunks for call in chunk.get("tool_call_chunks", ())} - {
            None
        }
    assert len(made) == 2


def test_an_async_stream_gives_an_async_stream() -> None:
    events, _ = read(MESSAGES["two-calls"], 3)

    async def source() -> AsyncIterator[Event]:
        for event in events:
            yield event

    async def collect() -> list[Event]:
        return [event async for event in from_stream(to_stream(source()))]

    assert asyncio.run(collect()) == list(from_stream(to_stream(events)))


def test_text_may_come_in_blocks() -> None:
    content = ["a", {"type": "text", "text": "b"}, {"type": "image_url"}, {"type": "text"}]
    assert joined(list(from_stream([{"content": content}, {"content": None}])))[0] == "ab"


@pytest.mark.parametrize("index", [0, None])
def test_a_new_id_is_a_new_call_whatever_its_index(index: int | None) -> None:
    pieces = [
        {"name": name, "args": args, "id": identity, "index": index, "type": "tool_call_chunk"}
        for name, args, identity in (("f", '{"a": 1}', "1"), ("g", '{"b": 2}', "2"))
    ]
    chunks = [{"content": "", "tool_call_chunks": [piece]} for piece in pieces]
    calls = [each.call for each in from_stream(chunks) if isinstance(each, CallEnd)]
    assert calls == [ToolCall("f", {"a": 1}, id="1"), ToolCall("g", {"b": 2}, id="2")]


@pytest.mark.parametrize("key", ["finish_reason", "stop_reason", "done_reason", "stopReason"])
def test_why_the_server_stopped_is_read_in_the_words_of_each(key: str) -> None:
    piece = {"name": "f", "args": '{"a": 1', "id": "1", "index": 0, "type": "tool_call_chunk"}
    stream = from_stream([{"tool_call_chunks": [piece]}, {"response_metadata": {key: "length"}}])
    [call] = [each.call for each in stream if isinstance(each, CallEnd)]
    assert (stream.finish_reason, call.status) == ("length", "truncated")

"""Calls, messages and streams of OpenAI, held against the types of the openai package."""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
from openai.lib.streaming._deltas import accumulate_delta
from openai.types.chat import (
    ChatCompletionAssistantMessageParam,
    ChatCompletionChunk,
    ChatCompletionMessage,
    ChatCompletionMessageFunctionToolCall,
)
from pydantic import TypeAdapter

from tests.units.interop.streaming import MESSAGES, Message, calls_of, joined, read
from tests.units.interop.unsafe import CUT, UNSAFE, unsafe
from toolgrammar import (
    ArgumentsDelta,
    CallEnd,
    CallStart,
    Event,
    ParseResult,
    ReasoningDelta,
    TextDelta,
    ToolCall,
)
from toolgrammar.interop.openai import (
    from_stream,
    from_tool_calls,
    to_message,
    to_stream,
    to_tool_calls,
)

every_message = pytest.mark.parametrize("message", MESSAGES.values(), ids=MESSAGES)
every_size = pytest.mark.parametrize("size", [1, 7, 10_000])


def accumulated(chunks: list[dict[str, Any]]) -> dict[str, Any]:
    """Adds up the deltas as the openai package does."""
    message: dict[object, object] = {}
    for chunk in chunks:
        ChatCompletionChunk.model_validate(chunk, strict=True)
        (choice,) = chunk["choices"]
        message = accumulate_delta(message, choice["delta"])
    return {str(key): value for key, value in message.items()}


# Calls


def test_calls_become_tool_calls() -> None:
    calls = [
        ToolCall("f", {"a": "ü", "n": 1}),
        ToolCall("g", {}, id="own"),
        ToolCall("bash", input="ls -l"),
        ToolCall("bash", {"command": "ls"}, input="ls"),
    ]
    found = to_tool_calls(calls, id_prefix="turn2_")
    for tool_call in found:
        ChatCompletionMessageFunctionToolCall.model_validate(tool_call, strict=True)
    assert [(c["id"], c["function"]["name"], c["function"]["arguments"]) for c in found] == [
        ("turn2_0", "f", '{"a": "ü", "n": 1}'),
        ("own", "g", "{}"),
        ("turn2_2", "bash", '{"input": "ls -l"}'),
        ("turn2_3", "bash", '{"command": "ls"}'),
    ]


def test_tool_calls_become_calls_again() -> None:
    calls = [ToolCall("f", {"a": [1, {"b": None}]}, id="x"), ToolCall("g", {}, id="y")]
    tool_calls = to_tool_calls(calls)
    assert from_tool_calls(tool_calls) == calls
    models = [ChatCompletionMessageFunctionToolCall(**tool_call) for tool_call in tool_calls]
    assert from_tool_calls(models) == calls
    assert from_tool_calls(None) == []


def test_the_arguments_keep_their_text() -> None:
    text = '{"a" : 1}'
    (call,) = from_tool_calls([{"id": "x", "function": {"name": "f", "arguments": text}}])
    assert (call.arguments, call.raw_arguments, call.executable) == ({"a": 1}, text, True)


@pytest.mark.parametrize("text", ['{"a": ', "[1]", "5", '{"a": NaN}', "[" * 100_000, "nope"])
def test_arguments_that_cannot_be_read_never_raise(text: str) -> None:
    (call,) = from_tool_calls([{"id": "x", "function": {"name": "f", "arguments": text}}])
    assert (call.name, call.arguments, call.status) == ("f", {}, "unreadable")
    assert call.error is not None
    assert not call.executable
    assert call.raw_arguments == text


@pytest.mark.parametrize(
    ("text", "doubts"),
    [('{"a": 1, "a": 2}', ("duplicate-key",)), ('{"a": 1, "a": 1}', ())],
)
def test_a_key_that_stands_twice_is_doubted_as_in_a_text(
    text: str, doubts: tuple[str, ...]
) -> None:
    function = {"name": "f", "arguments": text}
    (whole,) = from_tool_calls([{"id": "x", "function": function}])
    (streamed,) = calls_of(list(from_stream([chunk(piece(0, text, "f")), chunk(finish="stop")])))
    assert whole.doubts == streamed.doubts == doubts
    assert whole.executable == streamed.executable == (not doubts)


@pytest.mark.parametrize("text", ["", "  ", None])
def test_no_arguments_are_none(text: str | None) -> None:
    (call,) = from_tool_calls([{"id": "x", "function": {"name": "f", "arguments": text}}])
    assert (call.arguments, call.executable) == ({}, True)


def test_arguments_may_be_the_object_itself() -> None:
    """Ollama sends it, and chat templates hold it."""
    function = {"name": "f", "arguments": {"a": ["ü"]}}
    assert from_tool_calls([{"id": "x", "function": function}]) == [
        ToolCall("f", {"a": ["ü"]}, id="x")
    ]
    (call,) = from_tool_calls([{"id": "x", "function": {"name": "f", "arguments": [1]}}])
    assert (call.arguments, call.status) == ({}, "unreadable")
    assert streamed_in([{"id": "x", "index": 0, "function": function}]) == [
        ToolCall("f", {"a": ["ü"]}, id="x")
    ]


def streamed_in(*chunks: list[dict[str, Any]]) -> list[ToolCall]:
    """The calls of a stream of pieces of calls."""
    found = from_stream({"choices": [{"delta": {"tool_calls": pieces}}]} for pieces in chunks)
    return [each.call for each in found if isinstance(each, CallEnd)]


@pytest.mark.parametrize("index", [{"index": 0}, {"index": None}, {}])
def test_a_new_id_is_a_new_call_whatever_its_index(index: dict[str, Any]) -> None:
    """Some servers give each call of a message the same index."""

    def piece(identity: str | None, name: str | None, arguments: str) -> dict[str, Any]:
        return {"id": identity, **index, "function": {"name": name, "arguments": arguments}}

    first = [piece("1", "f", '{"a"'), piece("1", "f", ": 1"), piece(None, None, "}")]
    second = piece("2", "g", '{"b": 2}')
    wanted = [ToolCall("f", {"a": 1}, id="1"), ToolCall("g", {"b": 2}, id="2")]
    assert streamed_in(*([each] for each in first), [second]) == wanted
    assert streamed_in([*first, second]) == wanted


def test_a_custom_tool_call_is_free_text() -> None:
    custom = {"id": "x", "type": "custom", "custom": {"name": "bash", "input": "ls"}}
    assert from_tool_calls([custom]) == [ToolCall("bash", input="ls", id="x")]


def test_what_is_no_tool_call_is_the_callers_mistake() -> None:
    with pytest.raises(TypeError, match="expected a dict or a model of the API, got str"):
        from_tool_calls(["f"])
    mistakes: list[dict[str, Any]] = [
        {},
        {"function": {}},
        {"function": None, "id": "x"},
        {"custom": {"input": "ls"}},
        {"custom": "ls"},
    ]
    for mistake in mistakes:
        with pytest.raises(KeyError, match=r"under function\.name"):
            from_tool_calls([mistake])


# Calls that may not run


@every_size
@pytest.mark.parametrize("case", UNSAFE.values(), ids=UNSAFE)
def test_a_call_that_is_not_executable_stays_so(case: tuple[str, str], size: int) -> None:
    events, result = unsafe(case, size)
    tool_calls = to_tool_calls(result.calls)
    for tool_call in tool_calls:
        ChatCompletionMessageFunctionToolCall.model_validate(tool_call, strict=True)
    chunks = list(to_stream(events))
    streamed = accumulated(chunks)["tool_calls"]
    ways = (tool_calls, to_message(result)["tool_calls"], streamed)
    for back in (*map(from_tool_calls, ways), calls_of(list(from_stream(chunks)))):
        assert [(call.name, call.executable) for call in back] == [("rm", False)]
    cut = result.calls[0].status == "truncated"
    assert chunks[-1]["choices"][0]["finish_reason"] == ("length" if cut else "tool_calls")


def test_what_was_cut_is_shown_as_it_was_written() -> None:
    _, result = unsafe(CUT, 7)
    assert to_tool_calls(result.calls)[0]["function"]["arguments"] == '{"path": "/tmp/x'


def test_text_behind_a_cut_call_is_no_cut_message() -> None:
    cut = CallEnd(0, ToolCall("f", {}, status="truncated"))
    events: list[Event] = [CallStart(0, "f"), ArgumentsDelta(0, "{}"), cut, TextDelta("\n")]
    reasons = [
        list(to_stream(each))[-1]["choices"][0]["finish_reason"]
        for each in (events, [*events, TextDelta("Done")])
    ]
    assert reasons == ["length", "tool_calls"]


def test_a_stream_has_what_the_caller_says_of_its_message() -> None:
    head: dict[str, Any] = {"created": 7, "model": "m"}
    first, *_, last = to_stream([], completion_id="c", **head, finish_reason="content_filter")
    assert all(each.items() >= {"id": "c", **head}.items() for each in (first, last))
    assert last["choices"][0]["finish_reason"] == "content_filter"
    events: list[Event] = [CallStart(0, "f"), CallEnd(0, ToolCall("f"))]
    ids = [accumulated(list(to_stream(events, completion_id=each)))["tool_calls"] for each in "cd"]
    assert ids[0] != ids[1]


def test_numbers_that_json_cannot_write_are_the_callers_mistake() -> None:
    with pytest.raises(ValueError, match="the arguments of 'x' are no JSON"):
        to_tool_calls([ToolCall("x", {"a": float("nan")})])


def test_ids_do_not_repeat() -> None:
    calls = [ToolCall("x", id="call_1"), ToolCall("y"), ToolCall("z", id="call_3"), ToolCall("z")]
    ids = ["call_1", "call_1_", "call_3", "call_3_"]
    assert [call["id"] for call in to_tool_calls(calls)] == ids
    assert [call["id"] for call in to_tool_calls([ToolCall("y"), ToolCall("x", id="call_0")])] == [
        "call_0_",
        "call_0",
    ]
    starts = [CallStart(index, call.name, call.id) for index, call in enumerate(calls)]
    found = accumulated(list(to_stream(starts)))["tool_calls"]
    assert [call["id"] for call in found] == ids
    starts = [CallStart(0, "y"), CallStart(1, "x", "call_0")]
    found = accumulated(list(to_stream(starts)))["tool_calls"]
    assert [call["id"] for call in found] == ["call_0", "call_0_"]


# Messages


@every_message
def test_a_message_has_the_apis_shape(message: Message) -> None:
    _, result = read(message, 10_000)
    found = to_message(result)
    TypeAdapter(ChatCompletionAssistantMessageParam).validate_python(found)
    ChatCompletionMessage.model_validate(found, strict=True)
    assert (found["content"] or "") == result.text
    assert [call["function"]["name"] for call in found.get("tool_calls", [])] == [*message.names]
    assert ("tool_calls" in found) is bool(message.names)


def test_reasoning_is_left_out_unless_it_is_asked_for() -> None:
    result = ParseResult(text="Hi", reasoning="Hm")
    assert to_message(result) == {"role": "assistant", "content": "Hi"}
    with_it = to_message(result, reasoning_key="reasoning_content")
    assert with_it == {"role": "assistant", "content": "Hi", "reasoning_content": "Hm"}


def test_a_message_without_text_says_so() -> None:
    assert to_message(ParseResult(calls=(ToolCall("f"),)))["content"] is None
    assert to_message(ParseResult())["content"] == ""


# Streams


@every_size
@every_message
def test_a_stream_adds_up_to_the_message(message: Message, size: int) -> None:
    events, result = read(message, size)
    chunks = list(to_stream(events, id_prefix="t_", model="m", completion_id="c", created=5))
    found = accumulated(chunks)
    expected = to_message(result, id_prefix="t_")
    assert found["role"] == "assistant"
    assert found["content"].strip() == (expected["content"] or "")
    calls = found.get("tool_calls", [])
    assert [call["function"]["name"] for call in calls] == [*message.names]
    assert [json.loads(call["function"]["arguments"]) for call in calls] == [*message.arguments]
    assert [call["id"] for call in calls] == [c["id"] for c in expected.get("tool_calls", [])]
    assert chunks[-1]["choices"][0]["finish_reason"] == ("tool_calls" if calls else "stop")
    assert all(chunk["choices"][0]["finish_reason"] is None for chunk in chunks[:-1])
    assert {(c["id"], c["model"], c["created"]) for c in chunks} == {("c", "m", 5)}


@every_size
@every_message
def test_a_stream_comes_back_as_events(message: Message, size: int) -> None:
    events, result = read(message, size)
    chunks = to_stream(events, reasoning_key="reasoning_content")
    back = list(from_stream(chunks))
    text, reasoning, arguments = joined(back)
    assert (text.strip(), reasoning.strip()) == (result.text, result.reasoning)
    assert [call.name for call in calls_of(back)] == [*message.names]
    assert [call.arguments for call in calls_of(back)] == [*message.arguments]
    assert [json.loads(arguments[index]) for index in sorted(arguments)] == [*message.arguments]
    assert all(call.executable for call in calls_of(back))


def test_models_of_the_package_are_read_too() -> None:
    events, _ = read(MESSAGES["two-calls"], 3)
    chunks = list(to_stream(events))
    models = [ChatCompletionChunk.model_validate(chunk) for chunk in chunks]
    assert list(from_stream(models)) == list(from_stream(chunks))


def test_an_async_stream_gives_an_async_stream() -> None:
    events, _ = read(MESSAGES["two-calls"], 3)

    async def source() -> AsyncIterator[Event]:
        for event in events:
            yield event

    async def collect() -> tuple[list[dict[str, Any]], list[Event]]:
        chunks = [chunk async for chunk in to_stream(source())]
        back = [event async for event in from_stream(to_stream(source()))]
        return chunks, back

    chunks, back = asyncio.run(collect())
    assert chunks == list(to_stream(events))
    assert back == list(from_stream(chunks))


def test_each_event_goes_out_at_once() -> None:
    """A stream that waited for its end would not be one."""
    seen: list[str] = []

    def source() -> Any:
        for event in (TextDelta("a"), CallStart(0, "f"), ArgumentsDelta(0, "{}")):
            seen.append(type(event).__name__)
            yield event

    chunks = to_stream(source())
    assert next(chunks)["choices"][0]["delta"] == {"role": "assistant", "content": ""}
    assert next(chunks)["choices"][0]["delta"] == {"content": "a"}
    assert seen == ["TextDelta"]


def test_reasoning_goes_under_the_key_that_is_asked_for() -> None:
    events = [ReasoningDelta("Hm")]
    deltas = [c["choices"][0]["delta"] for c in to_stream(events, reasoning_key="reasoning")]
    assert {"reasoning": "Hm"} in deltas
    assert all("reasoning" not in c["choices"][0]["delta"] for c in to_stream(events))
    assert list(from_stream(to_stream(events, reasoning_key="reasoning"))) == events


def chunk(*tool_calls: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
    delta = {"tool_calls": list(tool_calls)} if tool_calls else {}
    return {"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}


def piece(index: int, arguments: str | None, name: str | None = None) -> dict[str, Any]:
    return {"index": index, "function": {"name": name, "arguments": arguments}}


def test_a_call_ends_when_the_next_begins() -> None:
    chunks = [chunk(piece(0, "{}", "f")), chunk(piece(1, "", "g")), chunk(finish="tool_calls")]
    assert list(from_stream(chunks)) == [
        CallStart(0, "f"),
        ArgumentsDelta(0, "{}"),
        CallEnd(0, ToolCall("f")),
        CallStart(1, "g"),
        ArgumentsDelta(1, "{}"),
        CallEnd(1, ToolCall("g")),
    ]


def test_calls_may_come_interleaved() -> None:
    chunks = [
        chunk(piece(0, '{"a"', "f"), piece(1, '{"b"', "g")),
        chunk(piece(0, ": 1}"), piece(1, ": 2}")),
    ]
    assert calls_of(list(from_stream(chunks))) == [
        ToolCall("f", {"a": 1}),
        ToolCall("g", {"b": 2}),
    ]


def test_the_one_call_of_the_older_api_comes_in_pieces() -> None:
    deltas: list[dict[str, Any]] = [{"name": "f", "arguments": ""}, {"arguments": '{"a": 1}'}]
    chunks = [{"choices": [{"index": 0, "delta": {"function_call": each}}]} for each in deltas]
    assert calls_of(list(from_stream(chunks))) == [ToolCall("f", {"a": 1})]


def test_a_call_that_is_cut_off_is_not_executable() -> None:
    chunks = [chunk(piece(0, '{"a": "half', "f")), chunk(finish="length")]
    (call,) = calls_of(list(from_stream(chunks)))
    assert (call.status, call.executable, call.raw_arguments) == ("truncated", False, '{"a": "half')


def test_other_choices_and_usage_are_passed() -> None:
    other = {"choices": [{"index": 1, "delta": {"content": "no"}}], "usage": None}
    assert list(from_stream([other, {"choices": []}, {}])) == []

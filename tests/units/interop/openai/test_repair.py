"""Broken messages are repaired, whatever stands in them, and what is no message is refused."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest
from openai.types.chat import (
    ChatCompletion,
    ChatCompletionChunk,
    ChatCompletionMessageFunctionToolCall,
)

from toolgrammar.interop import anthropic, openai
from toolgrammar.proxy import rewrite_response

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

COMPLETION: dict[str, Any] = {
    "id": "c",
    "object": "chat.completion",
    "created": 1,
    "model": "m",
    "choices": [
        {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "Hi."}}
    ],
}
ODD: list[Any] = [-1, 0, True, "x", ["x"], [["x"]], [None], {"a": 1}, [{"type": []}], [{"text": 1}]]


@pytest.mark.parametrize("odd", ODD)
@pytest.mark.parametrize("key", ["content", "tool_calls", "function_call", "role", "refusal"])
def test_nothing_in_a_message_raises(key: str, odd: object) -> None:
    message = {"role": "assistant", key: odd}
    assert openai.repair_message(message)["role"] == message["role"]
    assert anthropic.repair_message(message)["role"] == message["role"]


def test_what_is_no_call_among_the_calls_is_told() -> None:
    assert not openai.repair_message({"role": "assistant", "tool_calls": -1}).result.ok
    assert not openai.repair_message({"role": "assistant", "tool_calls": ["x"]}).result.ok


@pytest.mark.parametrize("completion", [COMPLETION, ChatCompletion.model_validate(COMPLETION)])
def test_a_whole_completion_is_refused(completion: object) -> None:
    with pytest.raises(TypeError, match=r"give response\.choices\[0\]\.message"):
        openai.repair_message(completion)
    with pytest.raises(TypeError, match=r"give response\.choices\[0\]\.message"):
        openai.repair_response(completion)


def test_the_message_of_a_completion_is_taken() -> None:
    message = ChatCompletion.model_validate(COMPLETION).choices[0].message
    assert openai.repair_message(message)["content"] == "Hi."


def test_calls_as_objects_of_the_package_are_repaired() -> None:
    call = ChatCompletionMessageFunctionToolCall.model_validate(
        {"id": "a", "type": "function", "function": {"name": "f", "arguments": "{'n': 1,}"}}
    )
    repaired = openai.repair_message({"role": "assistant", "content": None, "tool_calls": [call]})
    assert repaired["tool_calls"][0]["function"]["arguments"] == '{"n": 1}'


@pytest.mark.parametrize(
    "call",
    [
        {"function": {"name": "f", "arguments": {"n": 1}}},
        {"name": "f", "arguments": {"n": 1}},
        {"name": "f", "arguments": '{"n": 1}'},
    ],
    ids=repr,
)
def test_a_call_that_no_client_reads_is_written_as_the_api_has_it(call: dict[str, Any]) -> None:
    """Some servers have an object in place of its JSON text, or no `function` around it."""
    message = {"role": "assistant", "content": "Hi.", "tool_calls": [{"id": "a", **call}]}
    repaired = openai.repair_message(message, "hermes")
    function = {"name": "f", "arguments": '{"n": 1}'}
    assert repaired["tool_calls"] == [{"id": "a", "type": "function", "function": function}]
    assert (repaired["content"], repaired.result.ok) == ("Hi.", True)
    choice = {"index": 0, "message": message, "finish_reason": "tool_calls"}
    request = {"messages": [], "tools": [{"type": "function", "function": {"name": "f"}}]}
    answer = rewrite_response({"choices": [choice]}, request, format="hermes", repair=True)
    assert answer["choices"][0]["message"]["tool_calls"] == repaired["tool_calls"]


def test_reasoning_in_the_content_goes_where_servers_put_it() -> None:
    call = '<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>'
    text = f"<think>\nOslo first.\n</think>\nI look.\n{call}"
    repaired = openai.repair_message({"role": "assistant", "content": text}, format="hermes")
    assert (repaired["reasoning_content"], repaired["content"]) == ("Oslo first.", "I look.")
    named = openai.repair_message(
        {"role": "assistant", "content": text}, format="hermes", reasoning_key="reasoning"
    )
    assert (named["reasoning"], named["content"]) == ("Oslo first.", "I look.")


def test_a_count_of_tokens_that_comes_with_the_pieces_stands_in_the_last_chunk() -> None:
    usage = {"prompt_tokens": 3, "completion_tokens": 2, "total_tokens": 5}
    pieces: list[dict[str, Any]] = [{"role": "assistant", "content": "Hi."}, {}]
    chunks = [
        {
            **{key: COMPLETION[key] for key in ("id", "created", "model")},
            "object": "chat.completion.chunk",
            "choices": [{"index": 0, "delta": piece, "finish_reason": None if piece else "stop"}],
            "usage": usage,
        }
        for piece in pieces
    ]
    assert list(openai.repair_stream(chunks))[-1]["usage"] == usage


@pytest.mark.parametrize("given", [{}, {"id": "c", "model": "m"}])
def test_a_repaired_stream_has_whole_chunks(given: dict[str, Any]) -> None:
    for each in openai.repair_stream([{**given, "choices": [{"delta": {"content": "Hi"}}]}]):
        chunk = ChatCompletionChunk.model_validate(each)
        assert (chunk.id, chunk.model) == (given.get("id", ""), given.get("model", ""))


def test_a_call_without_a_name_is_left_out_of_a_message_and_told() -> None:
    call = {"id": "a", "type": "function", "function": {"name": "", "arguments": '{"n": 1}'}}
    repaired = openai.repair_message({"role": "assistant", "content": "Hi.", "tool_calls": [call]})
    assert not repaired.get("tool_calls")
    assert [each.code for each in repaired.result.diagnostics] == ["malformed-call"]


def test_a_custom_call_stays_beside_one_that_is_found_in_the_text() -> None:
    custom = {"id": "a", "type": "custom", "custom": {"name": "bash", "input": "ls"}}
    text = '<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>'
    repaired = openai.repair_message(
        {"role": "assistant", "content": text, "tool_calls": [custom]}, "hermes"
    )
    first, second = repaired["tool_calls"]
    assert (first, second["function"]["name"]) == (custom, "f")


def test_a_custom_call_stays_alone_where_no_other_is_left() -> None:
    custom = {"id": "a", "type": "custom", "custom": {"name": "bash", "input": "ls"}}
    nameless = {"id": "b", "type": "function", "function": {"name": "", "arguments": "{}"}}
    repaired = openai.repair_message({"role": "assistant", "tool_calls": [custom, nameless]})
    assert repaired["tool_calls"] == [custom]
    assert [each.code for each in repaired.result.diagnostics] == ["malformed-call"]


def test_a_stream_that_is_closed_reads_no_more() -> None:
    chunk = {"choices": [{"delta": {"content": "Hi"}}]}
    seen: list[int] = []

    def given() -> Iterator[Any]:
        for number in range(3):
            seen.append(number)
            yield chunk

    async def later() -> AsyncIterator[Any]:
        for each in given():
            yield each

    async def main() -> list[Any]:
        stream = openai.repair_stream(later(), None)
        await anext(stream)
        await stream.aclose()
        return [each async for each in stream]

    stream = openai.repair_stream(given(), None)
    next(stream)
    stream.close()
    assert list(stream) == asyncio.run(main()) == []
    assert seen == [0, 0]


def test_empty_arguments_are_written_as_none() -> None:
    function = {"name": "now", "arguments": ""}
    message = {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": "c", "function": function}],
    }
    repaired = openai.repair_message(message)
    assert [each["function"]["arguments"] for each in repaired["tool_calls"]] == ["{}"]
    (call,) = repaired.result.calls
    assert (call.arguments, call.status, call.executable) == ({}, "complete", True)
    function["arguments"] = "{}"
    assert openai.repair_message(message) == message


def own(*given: tuple[str, str]) -> list[dict[str, Any]]:
    return [
        {"id": f"c{number}", "type": "function", "function": {"name": name, "arguments": arguments}}
        for number, (name, arguments) in enumerate(given)
    ]


def test_repaired_calls_keep_their_order_where_one_has_no_arguments() -> None:
    calls = own(("f", "{'n': 1,}"), ("now", ""), ("f", '{"n": 2}'))
    repaired = openai.repair_message({"role": "assistant", "content": None, "tool_calls": calls})
    assert [call["id"] for call in repaired["tool_calls"]] == ["c0", "c1", "c2"]
    pieces = [
        {"role": "assistant"},
        *({"tool_calls": [{"index": at, **call}]} for at, call in enumerate(calls)),
    ]
    chunks = [{"id": "x", "choices": [{"index": 0, "delta": piece}]} for piece in pieces]
    chunks.append(
        {"id": "x", "choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]}
    )
    stream = openai.repair_stream(chunks)
    assert list(stream)
    assert [call.id for call in stream.result.calls] == ["c0", "c1", "c2"]

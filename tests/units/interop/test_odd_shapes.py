"""Parts of another type than the API has there: nothing raises, and a name that is no text is told."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from toolgrammar import ParseResult
from toolgrammar.interop import anthropic, langchain, openai
from toolgrammar.interop.older import reploid

ODD: list[Any] = [None, 5, True, "x", [], {}, [None], [5], ["x"], [[]], {"a": 1}, {"type": []}]
CUSTOM = {"type": "custom_tool_call", "call_id": "c2", "name": "run", "input": "text"}


def _chat(name: object) -> list[Any]:
    first = {"id": "c1", "function": {"name": name, "arguments": '{"a": '}}
    pieces: list[Any] = [first, {"function": {"arguments": "1}"}}]
    return [
        *({"choices": [{"delta": {"tool_calls": [{"index": 0, **p}]}}]} for p in pieces),
        {"choices": [{"delta": {}, "finish_reason": "tool_calls"}]},
    ]


def _responses(name: object) -> list[Any]:
    item = {"type": "function_call", "call_id": "c1", "name": name, "arguments": ""}
    at = {"output_index": 0}
    return [
        {"type": "response.output_item.added", **at, "item": item},
        {"type": "response.function_call_arguments.delta", **at, "delta": '{"a": 1}'},
        {"type": "response.output_item.done", **at, "item": {**item, "arguments": '{"a": 1}'}},
        {"type": "response.completed", "response": {"output": [item]}},
    ]


def _custom(name: object) -> list[Any]:
    item, at = {**CUSTOM, "name": name}, {"output_index": 1}
    return [
        {"type": "response.output_item.added", **at, "item": {**item, "input": ""}},
        {"type": "response.output_item.done", **at, "item": item},
        {"type": "response.completed", "response": {"output": [item]}},
    ]


def _blocks(name: object) -> list[Any]:
    block = {"type": "tool_use", "id": "c1", "name": name, "input": {}}
    delta = {"type": "input_json_delta", "partial_json": '{"a": 1}'}
    return [
        {"type": "content_block_start", "index": 0, "content_block": block},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": "tool_use"}},
    ]


def _langchain(name: object) -> list[Any]:
    pieces = [
        {"name": name, "args": '{"a": ', "id": "c1", "index": 0},
        {"name": None, "args": "1}", "id": None, "index": 0},
    ]
    end = {"content": "", "response_metadata": {"finish_reason": "stop"}}
    return [*({"content": "", "tool_call_chunks": [each]} for each in pieces), end]


Read = Callable[[list[Any]], Any]
Case = tuple[Callable[[object], list[Any]], Read]
OPENAI: list[Read] = [
    openai.from_stream,
    lambda chunks: openai.from_stream(chunks, repair=True),
    openai.repair_stream,
]
ANTHROPIC: list[Read] = [
    anthropic.from_stream,
    lambda chunks: anthropic.from_stream(chunks, repair=True),
    anthropic.repair_stream,
]
LANGCHAIN: list[Read] = [
    langchain.from_stream,
    lambda chunks: langchain.from_stream(chunks, repair=True),
]
CASES: list[Case] = [
    *((make, read) for make in (_chat, _responses, _custom) for read in OPENAI),
    *((_blocks, read) for read in ANTHROPIC),
    *((_langchain, read) for read in LANGCHAIN),
]
each_case = pytest.mark.parametrize("case", CASES, ids=range(len(CASES)))


def _result(read: Read, chunks: list[Any]) -> ParseResult:
    stream = read(chunks)
    assert list(stream) is not None
    result = stream.result
    assert isinstance(result, ParseResult)
    return result


def _changed(value: Any) -> Iterator[Any]:
    """Yields a value with each part of it, in turn, replaced by each odd one."""
    if isinstance(value, dict):
        parts = list(value.items())
    else:
        parts = list(enumerate(value)) if isinstance(value, list) else []
    for key, part in parts:
        for other in (*ODD, *_changed(part)):
            copy = value.copy()
            copy[key] = other
            yield copy


@each_case
def test_parts_of_another_type_never_raise(case: Case) -> None:
    make, read = case
    chunks = make("search")
    for place, chunk in enumerate(chunks):
        for other in _changed(chunk):
            _result(read, [*chunks[:place], other, *chunks[place + 1 :]])


@each_case
@pytest.mark.parametrize("name", [5, True, ["search"], {"name": "search"}], ids=range(4))
def test_a_name_that_is_no_text_is_told_and_names_no_tool(case: Case, name: object) -> None:
    make, read = case
    assert [call.name for call in _result(read, make("search")).calls] == ["search"]
    result = _result(read, make(name))
    assert not result.ok
    assert result.calls == ()


@pytest.mark.parametrize("name", [5, True, ["search"]], ids=range(3))
def test_a_message_with_a_name_that_is_no_text_has_no_such_call(name: object) -> None:
    call = {"id": "c1", "function": {"name": name, "arguments": "{}"}}
    block = {"type": "tool_use", "id": "c1", "name": name, "input": {"a": 1}}
    message = openai.repair_message({"role": "assistant", "content": None, "tool_calls": [call]})
    assert "tool_calls" not in message
    assert not message.result.ok
    blocks = anthropic.repair_message({"role": "assistant", "content": [block]})
    assert blocks["content"] == []
    assert not blocks.result.ok
    item = {"type": "function_call", "call_id": "c1", "name": name, "arguments": "{}"}
    assert not openai.repair_response({"output": [item]}).result.ok


def test_a_call_of_langchain_has_a_text_as_its_name() -> None:
    with pytest.raises(KeyError, match="has its name under name"):
        langchain.from_tool_calls([{"name": 5, "args": {}, "id": "c1"}])


def test_null_among_the_calls_is_told() -> None:
    assert not openai.repair_message({"role": "assistant", "tool_calls": [None]}).result.ok


def test_arguments_that_no_server_can_send_are_the_callers_mistake() -> None:
    said = "arguments must be JSON data, got bytes b'x'"
    call = {"name": "f", "arguments": b"x"}
    with pytest.raises(TypeError, match=said):
        openai.from_tool_calls([{"id": "c1", "function": call}])
    with pytest.raises(TypeError, match=said):
        openai.repair_message({"role": "assistant", "tool_calls": [{"function": call}]})


def test_options_of_another_type_are_named() -> None:
    wrong: Any = "no"
    with pytest.raises(TypeError, match="repair must be a bool, got str 'no'"):
        openai.from_stream([], repair=wrong)
    wrong = 5
    with pytest.raises(TypeError, match="finish_reason must be a str or None, got int 5"):
        openai.repair_message({"role": "assistant"}, finish_reason=wrong)


@pytest.mark.parametrize("api", [anthropic, langchain, openai])
def test_what_is_no_event_and_options_without_effect_are_mistakes(api: Any) -> None:
    with pytest.raises(TypeError, match=r"^events must hold events of toolgrammar, got str 'x': "):
        list(api.to_stream(["x"]))
    options: list[dict[str, Any]] = [{"format": "hermes"}, {"tools": []}]
    for option in options:
        with pytest.raises(ValueError, match=r"^format and tools say how to repair: they need "):
            api.from_stream([], **option)


@pytest.mark.parametrize("required", [[["a"]], [{}], [5]])
def test_reploid_requires_no_key_that_is_no_text(required: list[Any]) -> None:
    call = {"name": "A", "args": {"a": 1}}
    assert reploid.validate_tool_call(call, {"required": required})

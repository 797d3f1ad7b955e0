"""`core/evidence/no_arguments.py`: the definition of a tool, and a call in a call, are no arguments."""

import json

import pytest

from tests.units.core.cuts import read

_SCHEMA: dict[str, object] = {
    "type": "object",
    "properties": {"to": {"type": "string"}},
    "required": ["to"],
}
_SEND: dict[str, object] = {"name": "send", "parameters": _SCHEMA}
_MAKES: dict[str, object] = {
    "properties": {"type": {"type": "string"}, "properties": {"type": "object"}}
}


@pytest.mark.parametrize("format_id", ["llama3_json", "auto"])
def test_the_definition_of_a_tool_does_not_run(format_id: str) -> None:
    defined = {"name": "send", "description": "Sends.", "parameters": _SCHEMA}
    for written in (_SEND, defined):
        for tools in (None, [_SEND]):
            calls = read(format_id, json.dumps(written), tools=tools).calls
            assert not any(call.executable for call in calls)


def test_calls_behind_the_definition_of_a_tool_do_not_run() -> None:
    call = {"name": "send", "parameters": {"to": "Ada"}}
    text = f"{json.dumps(_SEND)}\n{json.dumps(call)}"
    first, second = read("llama3_json", text, tools=[_SEND]).calls
    assert "quoted-call" in first.doubts
    assert second.doubts == ("invented-result",)


def test_a_tool_that_takes_a_schema_is_called_with_one() -> None:
    tools: list[dict[str, object]] = [{"name": "make_tool", "parameters": _MAKES}]
    text = json.dumps({"name": "make_tool", "parameters": _SCHEMA})
    (call,) = read("llama3_json", text, tools=tools).calls
    assert (call.arguments, call.doubts, call.executable) == (_SCHEMA, (), True)


@pytest.mark.parametrize("arguments", [{"type": "object"}, {"properties": {}}, {"type": "string"}])
def test_half_a_schema_is_no_definition(arguments: dict[str, object]) -> None:
    assert read("llama3_json", json.dumps({"name": "send", "parameters": arguments})).ok


def test_the_schema_of_no_arguments_is_one_where_the_tool_is_given() -> None:
    text = json.dumps({"name": "tide", "parameters": {"type": "object"}})
    (call,) = read(
        "llama3_json", text, tools=[{"name": "tide", "parameters": {"type": "object"}}]
    ).calls
    assert "quoted-call" in call.doubts
    more = json.dumps({"name": "send", "parameters": {"type": "object", "to": "Ada"}})
    (call,) = read("llama3_json", more, tools=[_SEND]).calls
    assert "quoted-call" not in call.doubts
    typed = {"type": "object", "properties": {"type": {"type": "string"}}}
    assert read("llama3_json", text, tools=[{"name": "tide", "parameters": typed}]).ok


_AGAIN = {"name": "send", "arguments": {"to": "Ada"}}


@pytest.mark.parametrize(
    "arguments",
    [
        _AGAIN,
        {"tool_calls": [_AGAIN]},
        {"function": _AGAIN},
        {"tool": "send", "args": '{"to": "Ada"}'},
        {"action": "send", "action_input": {"to": "Ada"}},
    ],
)
def test_a_call_that_stands_in_its_own_arguments_does_not_run(arguments: dict[str, object]) -> None:
    text = json.dumps({"name": "send", "parameters": arguments})
    for tools in (None, [_SEND]):
        (call,) = read("llama3_json", text, tools=tools).calls
        assert (call.arguments, call.doubts) == (arguments, ("duplicate-key",))


def test_a_call_of_another_known_tool_is_no_arguments() -> None:
    text = json.dumps({"name": "send", "parameters": {"name": "tide", "arguments": {}}})
    tide: dict[str, object] = {"name": "tide", "parameters": {"type": "object"}}
    (call,) = read("llama3_json", text, tools=[_SEND, tide]).calls
    assert call.doubts == ("duplicate-key",)
    # Of a tool that nobody knows, the words may be its arguments.
    assert read("llama3_json", text, tools=[_SEND]).ok


def test_a_tool_that_takes_calls_is_called_with_them() -> None:
    keys = {"name": {"type": "string"}, "arguments": {"type": "object"}}
    tool: dict[str, object] = {"name": "send", "parameters": {"properties": keys}}
    assert read("llama3_json", json.dumps({"name": "send", "parameters": _AGAIN}), tools=[tool]).ok


@pytest.mark.parametrize(
    "arguments",
    [{"name": "send"}, {"arguments": {}}, {"name": "x", "arguments": {"to": "Ada"}}, {"calls": []}],
)
def test_words_of_calls_are_arguments_too(arguments: dict[str, object]) -> None:
    assert read("llama3_json", json.dumps({"name": "send", "parameters": arguments})).ok

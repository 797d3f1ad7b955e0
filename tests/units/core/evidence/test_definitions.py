"""The definition of a tool has the shape of a call, and is none."""

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
    assert call.arguments == _SCHEMA


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

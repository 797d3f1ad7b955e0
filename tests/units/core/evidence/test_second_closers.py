"""The closers of a value and of its call behind the call: the value may have ended too early."""

import pytest

from tests.units.core.cuts import read

_TOOLS: list[dict[str, object]] = [
    {"name": "note", "parameters": {"properties": {"body": {"type": "string"}}}}
]
_CLOSED = {
    "gemma4": ('<|tool_call>call:note{body:<|"|>', '<|"|>}<tool_call|>'),
    "functiongemma": (
        "<start_function_call>call:note{body:<escape>",
        "<escape>}<end_function_call>",
    ),
    "beam": (
        (
            "<|start|>assistant to=functions.note<|channel|>analysis<|message|>"
            '<rfl:parameter name="body">'
        ),
        "</rfl:parameter><|call|>",
    ),
    "solar_open2": (
        "<|tool_call:start|>note\n<|tool_arg:start|>body<|tool_arg:value|>",
        "<|tool_arg:end|>\n<|tool_call:end|>",
    ),
    "glm45": (
        "<tool_call>note\n<arg_key>body</arg_key>\n<arg_value>",
        "</arg_value>\n</tool_call>",
    ),
}


@pytest.mark.parametrize("format_id", _CLOSED)
def test_a_value_that_holds_its_closer_loses_its_end_and_says_so(format_id: str) -> None:
    opener, closer = _CLOSED[format_id]
    result = read(format_id, f"{opener}It is: {closer} ends a call.{closer}", _TOOLS)
    assert [call.arguments["body"].strip() for call in result.calls] == ["It is:"]
    assert [each.severity for each in result.diagnostics] == ["error"]
    assert not result.ok


@pytest.mark.parametrize("format_id", _CLOSED)
def test_closers_in_inline_code_are_a_mention(format_id: str) -> None:
    opener, closer = _CLOSED[format_id]
    closer = closer.replace("\n", "")
    assert read(format_id, f"{opener}It is.{closer} A `{closer}` ends a call.", _TOOLS).ok

"""Arguments that are no object: each shape of an API reads them as a call that does not run."""

from collections.abc import Callable
from typing import Any

import pytest

from toolgrammar import ToolCall
from toolgrammar.interop import anthropic, langchain, mcp, openai


def _openai(arguments: object) -> list[ToolCall]:
    function = {"name": "search", "arguments": arguments}
    return openai.from_tool_calls([{"id": "1", "type": "function", "function": function}])


def _anthropic(arguments: object) -> list[ToolCall]:
    block = {"type": "tool_use", "id": "1", "name": "search", "input": arguments}
    return anthropic.from_tool_calls([block])


def _langchain(arguments: object) -> list[ToolCall]:
    return langchain.from_tool_calls([{"id": "1", "name": "search", "args": arguments}])


def _mcp(arguments: object) -> list[ToolCall]:
    params = {"name": "search", "arguments": arguments}
    return mcp.from_tool_calls([{"id": 1, "method": "tools/call", "params": params}])


each_shape = pytest.mark.parametrize("read", [_openai, _anthropic, _langchain, _mcp])


@each_shape
@pytest.mark.parametrize(
    "arguments",
    ["{'q'", "[]", "x", "[" * 9999, 0, 1.5, True, False, ["q"], [["q", "fjords"]], ["ab"], ("q",)],
    ids=range(12),
)
def test_arguments_that_are_no_object_make_a_call_unreadable(
    read: Callable[[object], list[ToolCall]], arguments: object
) -> None:
    [call] = read(arguments)
    assert (call.name, call.id, call.arguments, call.status) == ("search", "1", {}, "unreadable")
    assert call.raw_arguments
    assert not call.executable


@each_shape
@pytest.mark.parametrize("arguments", [{"q": "fjords"}, '{"q": "fjords"}'], ids=["object", "text"])
def test_an_object_is_read_from_its_json_text_too(
    read: Callable[[object], list[ToolCall]], arguments: object
) -> None:
    [call] = read(arguments)
    assert (call.arguments, call.executable) == ({"q": "fjords"}, True)


@each_shape
@pytest.mark.parametrize("arguments", [None, "", {}, []], ids=range(4))
def test_no_arguments_are_none(read: Callable[[object], list[ToolCall]], arguments: object) -> None:
    [call] = read(arguments)
    assert (call.arguments, call.executable) == ({}, True)


def test_what_langchain_calls_invalid_does_not_run_whatever_its_arguments_are() -> None:
    arguments: dict[str, Any] = {"q": "fjords"}
    for given in (arguments, '{"q": "fjords"}'):
        [call] = langchain.from_tool_calls([{"name": "search", "args": given, "error": "no"}])
        assert (call.status, call.error) == ("unreadable", "no")

import logging

import pydantic
import pytest

from toolgrammar import ToolSpec
from toolgrammar.servers.requests import messages_of, specs_of


class Function(pydantic.BaseModel):
    name: str
    parameters: dict[str, object] | None = None


class Tool(pydantic.BaseModel):
    type: str = "function"
    function: Function


class Request(pydantic.BaseModel):
    messages: list[object] | None = None
    input: str | list[object] | None = None


def test_tools_of_both_interfaces() -> None:
    wrapped = Tool(function=Function(name="search", parameters={"type": "object"}))
    bare = {"type": "function", "name": "fetch", "parameters": {"type": "object"}}
    assert specs_of([wrapped, bare]) == (
        ToolSpec("search", "", {"type": "object"}),
        ToolSpec("fetch", "", {"type": "object"}),
    )
    assert specs_of(None) == ()


def test_a_tool_that_cannot_be_read_keeps_its_name(caplog: pytest.LogCaptureFixture) -> None:
    schema: dict[str, object] = {}
    for _ in range(300):
        schema = {"properties": {"a": schema}}
    deep = Tool(function=Function(name="deep", parameters=schema))
    with caplog.at_level(logging.WARNING):
        assert specs_of([deep, 5]) == (ToolSpec("deep", "", None),)
    assert len(caplog.records) == 2


def test_the_conversation_of_both_interfaces() -> None:
    said = {"role": "user", "content": "tea?"}
    assert messages_of(Request(messages=[said])) == [said]
    assert messages_of(Request(input="tea?")) == [said]
    result = {"type": "function_call_output", "output": "none"}
    assert messages_of(Request(input=[result])) == [result]
    assert messages_of(object()) == []


def test_content_that_can_be_read_only_once_is_left_out() -> None:
    parts = iter([{"type": "text", "text": "tea?"}])
    request = Request.model_construct(messages=[{"role": "user", "content": parts}])
    assert messages_of(request) == []
    assert next(parts) == {"type": "text", "text": "tea?"}

"""Calls as requests of the Model Context Protocol, held against the types of the mcp package."""

import pytest
from mcp import types

from toolgrammar import ToolCall
from toolgrammar.interop.mcp import from_tool_calls, to_tool_calls


def test_calls_become_requests() -> None:
    calls = [ToolCall("f", {"a": "ü"}), ToolCall("g", {}, id="own"), ToolCall("bash", input="ls")]
    found = to_tool_calls(calls, id_prefix="turn2_")
    for request in found:
        types.JSONRPCRequest.model_validate(request, strict=True)
        body = {"method": request["method"], "params": request["params"]}
        types.CallToolRequest.model_validate(body, strict=True)
    assert [(request["id"], request["params"]) for request in found] == [
        ("turn2_0", {"name": "f", "arguments": {"a": "ü"}}),
        ("own", {"name": "g", "arguments": {}}),
        ("turn2_2", {"name": "bash", "arguments": {"input": "ls"}}),
    ]


def test_requests_become_calls_again() -> None:
    calls = [ToolCall("f", {"a": [1, {"b": None}]}, id="x"), ToolCall("g", {}, id="y")]
    requests = to_tool_calls(calls)
    assert from_tool_calls(requests) == calls
    assert from_tool_calls([types.JSONRPCRequest(**request) for request in requests]) == calls
    assert from_tool_calls(None) == []


def test_models_without_a_head_are_read_too() -> None:
    params = types.CallToolRequestParams(name="f", arguments={"a": 1})
    request = types.CallToolRequest(method="tools/call", params=params)
    assert from_tool_calls([request]) == [ToolCall("f", {"a": 1})]


def test_numbers_are_ids_and_other_methods_are_passed() -> None:
    requests = [
        {"jsonrpc": "2.0", "id": 0, "method": "tools/list"},
        {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "f"}},
    ]
    assert from_tool_calls(requests) == [ToolCall("f", id="1")]


def test_what_is_no_request_is_the_callers_mistake() -> None:
    with pytest.raises(TypeError, match="expected a dict or a model of the API"):
        from_tool_calls(["tools/call"])
    said = "a call has its name under params.name; this one has 'nom', 'arguments'"
    with pytest.raises(KeyError) as caught:
        from_tool_calls([{"method": "tools/call", "params": {"nom": "f", "arguments": {}}}])
    assert caught.value.args == (said,)


def test_a_call_that_is_not_executable_makes_no_request() -> None:
    calls = [
        ToolCall("f", {"a": 1}, status="truncated"),
        ToolCall("g"),
        ToolCall("h", doubts=("x",)),
    ]
    assert [(each["id"], each["params"]["name"]) for each in to_tool_calls(calls)] == [
        ("call_1", "g")
    ]

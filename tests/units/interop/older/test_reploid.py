"""The older Reploid interface: dicts with args, or with an error."""

import pytest

from toolgrammar.interop.reploid import is_done, parse_tool_calls, validate_tool_call


def one(body: str, name: str = "A") -> str:
    return f"TOOL_CALL: {name}\nARGS: {body}"


@pytest.mark.parametrize("text", [None, "", "prose", "TOOL_CALL: A\nno args", "tool_call: A"])
def test_no_calls(text: str | None) -> None:
    assert parse_tool_calls(text) == []


def test_calls_in_order() -> None:
    second = one('{"n": [1, {"m": null}]}', "B")
    text = f"{one('{}')}\nand\n{second}"
    expected = [{"name": "A", "args": {}}, {"name": "B", "args": {"n": [1, {"m": None}]}}]
    assert parse_tool_calls(text) == expected


def test_backtick_strings() -> None:
    assert parse_tool_calls(one('{"c": `"{\n${x}`}')) == [{"name": "A", "args": {"c": '"{\n${x}'}}]


@pytest.mark.parametrize(
    "body", ["", "not json", "[1]", '{"x": 1', '{"x": {"y": 1}', '{"x": "cut', "{ broken }"]
)
def test_what_is_not_an_object_or_never_closed_is_empty_with_an_error(body: str) -> None:
    (call,) = parse_tool_calls(one(body))
    assert (call["name"], call["args"]) == ("A", {})
    assert call["error"]


def test_a_call_never_closed_does_not_hide_the_next() -> None:
    text = "\n".join([one('{"x": {"y": 1}'), one('{"z": 2}', "B")])
    first, second = parse_tool_calls(text)
    assert (first["name"], first["args"]) == ("A", {})
    assert first["error"]
    assert second == {"name": "B", "args": {"z": 2}}


def test_no_text_is_ever_done() -> None:
    assert not any(is_done(text) for text in (None, "", "DONE", one("{}")))


SCHEMA = {
    "type": "object",
    "properties": {
        "path": {"type": "string"},
        "depth": {"type": "integer"},
        "rate": {"type": ["number", "null"]},
        "mode": {"enum": ["fast", "safe"]},
        "tags": {"type": "array", "items": {"type": "string"}},
        "inner": {"type": "object", "properties": {"on": {"type": "boolean"}}, "required": ["on"]},
    },
    "required": ["path"],
}


@pytest.mark.parametrize(
    ("args", "valid"),
    [
        ({"path": "a"}, True),
        ({"path": "a", "depth": 2, "rate": 1, "mode": "fast", "tags": ["x"]}, True),
        ({"path": "a", "rate": None, "inner": {"on": False}, "other": 1}, True),
        ({"path": "a", "depth": 2.0}, True),
        ({}, False),
        ({"path": 1}, False),
        ({"path": "a", "depth": 2.5}, False),
        ({"path": "a", "depth": True}, False),
        ({"path": "a", "rate": "1"}, False),
        ({"path": "a", "mode": "slow"}, False),
        ({"path": "a", "tags": ["x", 1]}, False),
        ({"path": "a", "inner": {}}, False),
    ],
)
def test_arguments_against_a_schema(args: dict[str, object], *, valid: bool) -> None:
    call = {"name": "A", "args": args}
    assert validate_tool_call(call, SCHEMA) is valid
    for key in ("parameters", "input_schema", "inputSchema"):
        assert validate_tool_call(call, {"name": "A", key: SCHEMA}) is valid
    tool = {"type": "function", "function": {"name": "A", "parameters": SCHEMA}}
    assert validate_tool_call(call, tool) is valid


def test_no_further_arguments_where_the_schema_says_so() -> None:
    closed = {"properties": {"x": {}}, "additionalProperties": False}
    assert validate_tool_call({"name": "A", "args": {"x": 1}}, closed)
    assert not validate_tool_call({"name": "A", "args": {"y": 1}}, closed)


@pytest.mark.parametrize("schema", [None, {}, True, "odd", {"type": "object"}])
def test_a_schema_that_asks_for_nothing(schema: object) -> None:
    assert validate_tool_call({"name": "A", "args": {"x": [1]}}, schema)


@pytest.mark.parametrize(
    "call",
    [None, [], "A", {}, {"name": "A"}, {"name": "", "args": {}}, {"name": 1, "args": {}},
     {"name": "A", "args": []}, {"name": "A", "args": {}, "error": "Invalid JSON block"}],
)  # fmt: skip
def test_what_is_no_call(call: object) -> None:
    assert not validate_tool_call(call, {})

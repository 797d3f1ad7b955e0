"""Round brackets in JSON are a list where the schema takes one, and text where it does not."""

import pytest

from toolgrammar import ToolSpec, parse

MESSAGE = '<tool_call>{"name": "f", "arguments": {"a": (1, 2)}}</tool_call>'


@pytest.mark.parametrize(
    ("wanted", "value"), [("array", [1, 2]), ("string", "(1, 2)"), ("object", "(1, 2)")]
)
def test_round_brackets_are_what_the_schema_takes(wanted: str, value: object) -> None:
    schema = {"type": "object", "properties": {"a": {"type": wanted}}}
    (call,) = parse(MESSAGE, "hermes", tools=[ToolSpec("f", parameters=schema)]).calls
    assert call.arguments == {"a": value}

"""What becomes of the values of a payload that a scanner reads."""

import pytest

from tests.units.core.cuts import read

_TOOLS: list[dict[str, object]] = [
    {
        "name": "f",
        "parameters": {"properties": {"n": {"type": "integer"}, "b": {"type": "boolean"}}},
    }
]


@pytest.mark.parametrize(
    ("written", "arguments"),
    [('{"n": "42"}', {"n": 42}), ('{"n": 42.0}', {"n": 42}), ('{"b": "true"}', {"b": True})],
)
def test_a_type_by_the_schema_is_no_repair(written: str, arguments: dict[str, object]) -> None:
    text = f'<tool_call>\n{{"name": "f", "arguments": {written}}}\n</tool_call>'
    result = read("hermes", text, tools=_TOOLS)
    [call] = result.calls
    assert (call.arguments, call.status, call.executable) == (arguments, "complete", True)
    assert [(each.code, each.severity) for each in result.diagnostics] == [("schema-type", "info")]


def test_a_type_by_the_schema_beside_a_repair_is_a_repaired_call() -> None:
    text = '<tool_call>\n{"name": "f", "arguments": {"n": "42",}}\n</tool_call>'
    [call] = read("hermes", text, tools=_TOOLS).calls
    assert (call.arguments, call.status) == ({"n": 42}, "repaired")

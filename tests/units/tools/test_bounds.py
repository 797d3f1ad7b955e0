"""Tools that would cost too much are refused in a sentence that names what and where."""

from typing import Any

import pytest

import toolgrammar
from toolgrammar.tools.specs import to_specs


def tool(name: str = "f", **schema: Any) -> dict[str, Any]:
    return {"name": name, "parameters": {"type": "object", **schema}}


def deep(levels: int) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "string"}
    for _ in range(levels):
        schema = {"type": "array", "items": schema}
    return tool(properties={"a": schema})


def check(bad: object, *words: str) -> None:
    with pytest.raises(ValueError, match=".*".join(words)):
        to_specs([bad])


def test_a_deep_schema() -> None:
    check(deep(3000), "the tool f", "200 levels")
    assert list(to_specs([deep(90)])) == ["f"]


def test_a_schema_that_holds_itself_is_not_deep() -> None:
    schema = tool()
    schema["parameters"]["properties"] = {"a": schema["parameters"]}
    assert list(to_specs([schema])) == ["f"]


def test_a_long_name() -> None:
    check(tool("x" * 4000), "256 characters", "4,000")
    check(toolgrammar.ToolSpec("x" * 4000), "256 characters")
    assert list(to_specs([tool("x" * 256)])) == ["x" * 256]


def test_an_exponential_pattern_of_keys() -> None:
    patterns = {"patternProperties": {"^(a+)+$": {}}, "additionalProperties": False}
    check(tool(properties={"a": {"type": "object", **patterns}}), r"\^\(a\+\)\+\$", "for ever")
    assert list(to_specs([tool(patternProperties={"^a+$": {}})])) == ["f"]

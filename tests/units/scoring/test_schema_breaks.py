"""The kinds in which arguments break a schema."""

from typing import Any

import pytest

from toolgrammar import ToolSpec
from toolgrammar.scoring.schema_breaks import breaks

SCHEMA = {
    "type": "object",
    "properties": {
        "city": {"type": "string"},
        "days": {"type": "integer", "maximum": 9},
        "unit": {"type": "string", "enum": ["C", "F"]},
        "near": {"type": "array", "items": {"type": "string"}},
    },
    "required": ["city"],
}


@pytest.mark.parametrize(
    ("arguments", "kinds"),
    [
        ({"city": "Oslo", "days": 3, "unit": "C", "near": ["Moss"]}, ()),
        ({}, ("missing",)),
        ({"city": "Oslo", "town": "Moss"}, ("undeclared",)),
        ({"city": 5}, ("type",)),
        ({"city": "Oslo", "unit": "K"}, ("enum",)),
        ({"city": "Oslo", "days": 10}, ("value",)),
        ({"city": "Oslo", "near": [1]}, ("value",)),
        ({"days": "x", "unit": "K", "town": 1}, ("missing", "undeclared", "type", "enum")),
    ],
)
def test_kinds(arguments: dict[str, Any], kinds: tuple[str, ...]) -> None:
    assert breaks(arguments, ToolSpec("weather", "", SCHEMA)) == kinds


def test_what_only_all_arguments_break() -> None:
    either = {"anyOf": [{"required": ["city"]}, {"required": ["days"]}]}
    spec = ToolSpec("weather", "", {"properties": SCHEMA["properties"], **either})
    assert breaks({"unit": "C"}, spec) == ("value",)
    assert breaks({"city": "Oslo"}, spec) == ()


def test_a_schema_that_admits_others_or_says_nothing() -> None:
    assert (
        breaks(
            {"city": "Oslo", "x": 1}, ToolSpec("f", "", {**SCHEMA, "additionalProperties": True})
        )
        == ()
    )
    assert breaks({"x": 1}, ToolSpec("f", "", {"type": "object"})) == ()
    assert breaks({"x": 1}, ToolSpec("f")) == ()

"""The example call of a prompt has values that its tool's schema takes, and that mean something."""

from __future__ import annotations

from typing import Any

import pytest

from toolgrammar.tools.fits import fits
from toolgrammar.tools.specs import to_specs
from toolgrammar.writing.prompts.examples import example_call


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"type": "string"}, "some a"),
        ({"const": 7}, 7),
        ({"enum": ["x", "y"]}, "x"),
        ({"type": "string", "examples": ["Oslo"]}, "Oslo"),
        ({"type": "integer", "default": 3}, 3),
        ({"anyOf": [{"type": "boolean"}, {"type": "null"}]}, True),
        ({"oneOf": [{"const": "b"}, {"type": "null"}]}, "b"),
        ({"type": ["boolean", "null"]}, True),
        ({"type": "array", "items": {"const": 1}}, [1]),
        (
            {
                "type": "object",
                "properties": {"b": {"const": 1}, "c": {"const": 2}},
                "required": ["b"],
            },
            {"b": 1},
        ),
    ],
)
def test_a_value_fits_its_schema(schema: dict[str, Any], value: object) -> None:
    tool = {"name": "f", "parameters": {"properties": {"a": schema}, "required": ["a"]}}
    call = example_call(to_specs([tool])["f"])
    assert call.arguments == {"a": value}
    assert fits(call.arguments["a"], schema)

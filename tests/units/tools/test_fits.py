"""Judging a value by a schema costs no more than the value and the schema are large."""

import json
import sys
from typing import Any

import pytest

from tests.units.recovery.test_recovery_laws import counted
from toolgrammar import ToolCall, recover_json
from toolgrammar.engine import Engine, Tool
from toolgrammar.tools.fits import fits


def expression(kinds: int) -> dict[str, Any]:
    """A schema of expressions that hold others, in so many kinds."""
    part = {"type": "object", "properties": {"in": {"$ref": "#/$defs/e"}}, "required": ["in"]}
    leaf = {"type": "integer"}
    parts = [leaf, *({**part, "title": str(number)} for number in range(kinds))]
    return {"$defs": {"e": {"anyOf": parts}}, "type": "object", "properties": {"e": parts[1]}}


def test_alternatives_that_hold_each_other_are_judged_once() -> None:
    def steps(depth: int) -> int:
        text = '{"e": ' + '{"in": ' * depth + '"five"' + "}" * depth + "}"
        result, count = counted(lambda: recover_json(text, expression(2)))
        assert result.value
        assert not result.executable
        return count

    assert steps(16) < 3 * steps(8)


def test_a_value_too_deep_for_the_stack_is_no_error() -> None:
    text = '{"e": ' + '{"in": ' * 190 + "5" + "}" * 190 + "}"

    def below(frames: int) -> bool:
        return below(frames - 1) if frames else recover_json(text, expression(1)).executable

    assert below(0)
    limit = sys.getrecursionlimit()
    assert not below(limit - 400)


SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "n": {"type": "array", "items": {"type": "integer"}},
        "k": {"type": "integer", "maximum": 3},
        "deep": {"type": "object", "properties": {"mode": {"enum": ["a", "b"]}}},
        "flags": {"enum": [[[True]], [[False]]]},
    },
    "required": ["k"],
}


@pytest.mark.parametrize(
    ("value", "right"),
    [
        ({"n": [1, 2], "k": 3}, True),
        ({"n": ["x"], "k": 3}, False),
        ({"n": [1], "k": 9}, False),
        ({"n": [1]}, False),
        ({"k": 1, "deep": {"mode": "a"}}, True),
        ({"k": 1, "deep": {"mode": "c"}}, False),
        ({"k": 1, "flags": [[True]]}, True),
        ({"k": 1, "flags": [[1]]}, False),
    ],
)
def test_whatever_runs_a_value_judges_it_by_the_same_check(
    value: dict[str, Any], *, right: bool
) -> None:
    assert fits(value, SCHEMA) is right
    assert recover_json(json.dumps(value), SCHEMA).executable is right
    engine = Engine([Tool(lambda **_: None, schema={"name": "w", "parameters": SCHEMA})])
    assert engine.run_sync(ToolCall("w", value)).ok is right


@pytest.mark.parametrize(
    ("value", "schema", "right"),
    [
        (5.0, {"type": "integer"}, True),
        (5.5, {"type": "integer"}, False),
        ([1, 1.0], {"uniqueItems": True}, False),
        ([1, True], {"uniqueItems": True}, True),
        ([1, "1"], {"uniqueItems": True}, True),
        ([{"a": 1, "b": 2}, {"b": 2.0, "a": 1}], {"uniqueItems": True}, False),
        ([[1], [True]], {"uniqueItems": True}, True),
        ([[], {}], {"uniqueItems": True}, True),
    ],
)
def test_numbers_are_judged_as_json_schema_does(
    value: object, schema: dict[str, Any], *, right: bool
) -> None:
    assert fits(value, schema) is right


@pytest.mark.parametrize(
    ("value", "schema", "right"),
    [
        ({"x-a": 1}, {"patternProperties": {"^x-": {"type": "string"}}}, False),
        ({"b": 1}, {"patternProperties": {"^x-": {}}, "additionalProperties": False}, False),
        # Nobody can say in bounded time whether the name matches.
        ({"b": 1}, {"patternProperties": {"(a+)+$": {}}, "additionalProperties": False}, True),
        ({"B": 1}, {"propertyNames": {"pattern": "^[a-z]+$"}}, False),
        ({"a": 1}, {"dependentRequired": {"a": ["b"]}}, False),
        ({"a": 1}, {"dependencies": {"a": ["b"]}}, False),
        ({"a": 1}, {"dependencies": {"a": {"required": ["b"]}}}, False),
        ({"c": 1}, {"dependencies": {"a": ["b"]}}, True),
        ([1, "x"], {"items": [{"type": "integer"}], "additionalItems": False}, False),
        ([1], {"items": [{"type": "integer"}], "additionalItems": False}, True),
        ([1, "x"], {"contains": {"type": "string"}, "minContains": 2}, False),
        ([], {"contains": {"type": "string"}, "minContains": 0}, True),
        (5, {"if": {"minimum": 3}, "then": {"multipleOf": 2}}, False),
        (1, {"if": {"minimum": 3}, "then": {"multipleOf": 2}}, True),
        (1, {"if": {"minimum": 3}, "else": False}, False),
        ("ab", {"maxLength": 1.0}, False),
    ],
)
def test_keywords_of_all_drafts_are_judged(
    value: object, schema: dict[str, Any], *, right: bool
) -> None:
    assert fits(value, schema) is right

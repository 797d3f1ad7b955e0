"""Judging a value by a schema costs no more than the value and the schema are large."""

import sys
from typing import Any

from tests.units.recovery.test_recovery_laws import counted
from toolgrammar import recover_json


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

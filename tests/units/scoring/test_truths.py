"""Truths in several shapes, and what agrees with them."""

from itertools import permutations
from typing import Any

import pytest

from toolgrammar import ToolCall, ToolSpec
from toolgrammar.scoring.truths import Agreement, BadTruthError, TrueCall, agreement, truth_of

CALL = TrueCall("f", {"a": 1})
TOOLS = {"f": ToolSpec("f", "", {"properties": {"a": {"type": "integer"}, "b": {}}})}


@pytest.mark.parametrize(
    "value",
    [
        [{"name": "f", "arguments": {"a": 1}}],
        {"name": "f", "arguments": {"a": 1}},
        '[{"name": "f", "arguments": {"a": 1}}]',
        {"tool_calls": [{"id": "1", "function": {"name": "f", "arguments": '{"a": 1}'}}]},
        {"calls": [{"name": "f", "input": {"a": 1}}]},
        [{"name": "f", "parameters": {"a": 1}}],
        [{"name": "f", "args": {"a": 1}}],
        [{"function": {"name": "f", "params": '{"a": 1}'}}],
    ],
)
def test_shapes(value: Any) -> None:
    assert truth_of(value) == (CALL,)


def test_no_call_is_a_truth_and_nothing_is_none() -> None:
    assert truth_of([]) == ()
    assert truth_of(None) is None
    assert truth_of("") is None


@pytest.mark.parametrize(
    "value", [5, ["f"], [{"arguments": {}}], [{"name": "f", "arguments": [1]}]]
)
def test_what_is_no_truth(value: Any) -> None:
    with pytest.raises(BadTruthError):
        truth_of(value)


def test_a_text_that_is_no_json_is_told_with_its_place() -> None:
    with pytest.raises(BadTruthError, match=r"^not JSON: Expecting value at column 2$"):
        truth_of("[x")


@pytest.mark.parametrize(
    ("calls", "truth", "found"),
    [
        ([("f", {"a": 1})], [("f", {"a": 1})], (True, 1, 0, 1, 1)),
        ([("f", {"a": "1"})], [("f", {"a": 1})], (True, 1, 0, 1, 1)),  # the schema says integer
        ([("f", {"b": "1"})], [("f", {"b": 1})], (False, 0, 1, 1, 0)),  # it says nothing of b
        ([("f", {"a": 2, "b": 3})], [("f", {"a": 1, "b": 3})], (False, 0, 1, 1, 1)),
        ([("f", {"a": 1, "b": 3})], [("f", {"a": 1})], (False, 0, 1, 1, 1)),
        ([("g", {}), ("f", {"a": 1})], [("f", {"a": 1}), ("g", {})], (False, 2, 0, 2, 1)),
        ([], [("f", {"a": 1})], (False, 0, 0, 0, 0)),
        ([("f", {})], [], (False, 0, 1, 0, 0)),
        ([], [], (True, 0, 0, 0, 0)),
        # Each pairs with the call that is most like it.
        (
            [("f", {"a": 5, "b": 2}), ("f", {"a": 1, "b": 9})],
            [("f", {"a": 1, "b": 2}), ("f", {"a": 5, "b": 3})],
            (False, 0, 2, 2, 1),
        ),
    ],
)
def test_agreement(calls: list[Any], truth: list[Any], found: tuple[Any, ...]) -> None:
    read = [ToolCall(*each) for each in calls]
    assert agreement(read, [TrueCall(*each) for each in truth], TOOLS) == Agreement(*found)


@pytest.mark.parametrize(("size", "found"), [(256, 256), (257, 1), (20_000, 0)])
def test_many_calls_are_compared_in_their_places(size: int, found: int) -> None:
    """All pairs of 20,000 calls would never end."""
    calls = [ToolCall("f", {"a": number}) for number in range(size)]
    truth = [TrueCall("f", {"a": call.arguments["a"]}) for call in calls]
    assert agreement(calls, truth, TOOLS) == Agreement(*(True, size, 0, size, size))
    # From the end to the beginning, an odd number has one call in its own place.
    named = (False, found, size - found, size, found)
    assert agreement(calls, truth[::-1], TOOLS) == named
    assert agreement(calls[1:], truth, TOOLS).message is False


def test_pairs_do_not_depend_on_the_order_of_the_truth() -> None:
    """The pair that shares the most comes first, not the first of the truth."""
    calls = [ToolCall("f", {"a": 1, "b": 2}), ToolCall("f", {"a": 1, "b": 9})]
    truth = [TrueCall("f", {"a": 1, "b": 3}), TrueCall("f", {"a": 7, "b": 9})]
    tied = [TrueCall("f", {"a": 1, "b": 3}), TrueCall("f", {"a": 1, "b": 4})]
    for right in (truth, tied):
        for order in permutations(right):
            assert agreement(calls, order, TOOLS).arguments == 2
    # One shares two arguments with the first call, the other one with either.
    three = [TrueCall("f", {"a": 1, "c": 0}), TrueCall("f", {"a": 1, "b": 2, "c": 0})]
    for order in permutations(three):
        assert agreement(calls, order, TOOLS).arguments == 3

"""Calls written in a format are read back equal."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import toolgrammar
from tests.laws.carried import carries_inputs, every_sample, not_carried, recorded
from tests.laws.drawn import argument_calls, input_calls, tools_of
from tests.laws.every_case import each_format, each_format_with_rows, hold, row_cases
from toolgrammar.testing import laws
from toolgrammar.testing.depth import at_depth
from toolgrammar.tools.specs import to_specs


@each_format
def test_what_a_format_carries(format_id: str) -> None:
    every = set(every_sample(format_id))
    missing = not_carried(format_id)
    lost = missing - set(recorded().get(format_id, every))
    assert not lost, "no longer written; if that is meant: python -m tests.laws.carried"
    assert missing < every


@each_format_with_rows
def test_round_trip_of_rows(format_id: str) -> None:
    hold(laws.rewritten, row_cases(format_id))


@each_format
@settings(max_examples=at_depth(few=3, usual=12, every=1000))
@given(calls=argument_calls())
def test_round_trip_of_drawn_arguments(format_id: str, calls: list[toolgrammar.ToolCall]) -> None:
    laws.round_trip(calls, format_id, tools_of(calls))


@pytest.mark.parametrize("format_id", [each for each in recorded() if carries_inputs(each)])
@settings(max_examples=at_depth(few=3, usual=12, every=1000))
@given(data=st.data())
def test_round_trip_of_drawn_inputs(format_id: str, data: st.DataObject) -> None:
    calls = data.draw(input_calls())
    laws.round_trip(calls, format_id, tools_of(calls))


EDGES = ("a\n", "\na", "\na\n", "a\n\n", "\n", "a\r\n", " \n a")


@each_format
def test_round_trip_of_line_ends_at_the_edges(format_id: str) -> None:
    """A line end at either end of a value comes back, or the format refuses to write it."""
    for edge in EDGES[: at_depth(few=2, usual=7, every=7)]:
        calls = [toolgrammar.ToolCall("w", {"p": edge, "q": "z"})]
        laws.round_trip(calls, format_id, tools_of(calls))


LISTED = {"p": {"type": "string"}, "q": {"type": "integer"}}
"""The schemas of two arguments, of which the second may have that of all others."""


@each_format
def test_an_argument_may_have_the_schema_of_all_others(format_id: str) -> None:
    """`additionalProperties` types what `properties` does not list, in whatever format."""
    form = toolgrammar.formats[format_id]
    calls = [toolgrammar.ToolCall("w", {"p": "x", "q": 5})]
    listed = to_specs([{"name": "w", "parameters": {"properties": LISTED}}])
    properties, more = {"p": LISTED["p"]}, LISTED["q"]
    schema = {"properties": properties, "additionalProperties": more}
    unlisted = to_specs([{"name": "w", "parameters": schema}])
    try:
        wire = form.render(calls, tools=listed)
    except toolgrammar.RenderError:
        pytest.skip("the format does not write two arguments")
    if "q" not in wire:
        pytest.skip("the format tells arguments by their order, which only `properties` has")
    assert form.render(calls, tools=unlisted) == wire
    laws.round_trip(calls, format_id, tuple(unlisted.values()))

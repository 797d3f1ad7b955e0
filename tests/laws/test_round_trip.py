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

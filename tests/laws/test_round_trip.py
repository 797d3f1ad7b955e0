"""Calls written in a format are read back equal."""

import os

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import toolgrammar
from tests.laws.carried import carries_inputs, every_sample, not_carried, recorded
from tests.laws.drawn import argument_calls, input_calls, tools_of
from tests.laws.every_case import each_format, hold, row_cases
from toolgrammar import formats
from toolgrammar.testing import laws


@each_format
def test_what_a_format_carries(format_id: str) -> None:
    every = set(every_sample(format_id))
    missing = not_carried(format_id)
    lost = missing - set(recorded().get(format_id, every))
    assert not lost, "no longer written; if that is meant: python -m tests.laws.carried"
    assert missing < every


@pytest.mark.parametrize("format_id", [each for each in formats if row_cases(each)])
def test_round_trip_of_rows(format_id: str) -> None:
    hold(laws.rewritten, row_cases(format_id))


@each_format
@settings(max_examples=1000 if os.environ.get("TOOLGRAMMAR_EVERY_SPLIT") else 12)
@given(calls=argument_calls())
def test_round_trip_of_drawn_arguments(format_id: str, calls: list[toolgrammar.ToolCall]) -> None:
    laws.round_trip(calls, format_id, tools_of(calls))


@pytest.mark.parametrize("format_id", [each for each in recorded() if carries_inputs(each)])
@settings(max_examples=1000 if os.environ.get("TOOLGRAMMAR_EVERY_SPLIT") else 12)
@given(data=st.data())
def test_round_trip_of_drawn_inputs(format_id: str, data: st.DataObject) -> None:
    calls = data.draw(input_calls())
    laws.round_trip(calls, format_id, tools_of(calls))

"""Calls written in a format are read back equal."""

import os
from functools import partial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import toolgrammar
from tests.laws.drawn import argument_calls, input_calls, tools_of
from tests.laws.every_case import cases, each_format, hold
from toolgrammar.testing import Case, laws


def _round_trip(case: Case, carried: list[str]) -> None:
    result = toolgrammar.parse(case.text, format=case.format, tools=case.tools, prefix=case.prefix)
    if result.calls and result.ok and laws.round_trip(result.calls, case.format, case.tools):
        carried.append(case.id)


@each_format
def test_round_trip(format_id: str) -> None:
    carried: list[str] = []
    hold(partial(_round_trip, carried=carried), cases(format_id, malformed=False))
    assert carried, "no case of this format could be rendered"


@each_format
@pytest.mark.parametrize("drawn", [argument_calls(), input_calls()], ids=["arguments", "input"])
@settings(max_examples=1000 if os.environ.get("TOOLGRAMMAR_EVERY_SPLIT") else 12)
@given(data=st.data())
def test_round_trip_of_drawn_calls(
    format_id: str, drawn: st.SearchStrategy[list[toolgrammar.ToolCall]], data: st.DataObject
) -> None:
    calls = data.draw(drawn)
    laws.round_trip(calls, format_id, tools_of(calls))

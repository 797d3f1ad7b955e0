"""Every cutting of a text gives the same result and the same joined events.

The examples of the pages keep this law as tests of their own: see `toolgrammar.testing.plugin`.
"""

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.laws.drawn import hostile_texts
from tests.laws.every_case import cases, each_format, hold, row_cases
from toolgrammar.testing import Case, laws


@each_format
def test_splits(format_id: str) -> None:
    hold(laws.splits, row_cases(format_id))


@each_format
@settings(max_examples=8)
@given(data=st.data())
def test_splits_of_hostile_texts(format_id: str, data: st.DataObject) -> None:
    text = data.draw(hostile_texts(format_id))
    case = Case("drawn", format_id, text, tools=cases(format_id)[0].tools)
    laws.splits(case)
    laws.tiling(case)
    laws.deltas(case)

"""No text raises, however it is read."""

from hypothesis import given
from hypothesis import strategies as st

from tests.laws.drawn import hostile_texts
from tests.laws.every_case import cases, each_format, hold
from toolgrammar.testing import laws


@each_format
def test_no_raise(format_id: str) -> None:
    hold(
        lambda case: laws.no_raise(case.text, case.format, case.tools, case.prefix),
        cases(format_id),
    )


ENDLESS = (
    "9" * 5000,
    "0x" + "f" * 5000,
    f"1e{'9' * 5000}",
    f"&lt;tool_call&gt;&#{'9' * 5000};",
    f"&lt;tool_call&gt;&#x{'f' * 5000};",
    "\\U0011ffff",
    "\\N{LATIN}",
)
"""What readers of numbers and characters refuse: CPython reads no integer of 4,301 digits."""


@each_format
def test_no_raise_on_numbers_that_python_refuses(format_id: str) -> None:
    case = cases(format_id)[0]
    for scrap in ENDLESS:
        for place in (len(case.text) // 2, len(case.text)):
            text = case.text[:place] + scrap + case.text[place:]
            laws.no_raise(text, case.format, case.tools, case.prefix)


@each_format
@given(data=st.data())
def test_no_raise_on_hostile_texts(format_id: str, data: st.DataObject) -> None:
    text = data.draw(hostile_texts(format_id))
    laws.no_raise(text, format_id, cases(format_id)[0].tools)


@each_format
@given(text=st.text(max_size=60))
def test_no_raise_on_any_text(format_id: str, text: str) -> None:
    laws.no_raise(text, format_id)

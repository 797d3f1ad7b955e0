"""No text raises, however it is read."""

import re

from hypothesis import given
from hypothesis import strategies as st

from tests.laws.drawn import hostile_texts
from tests.laws.every_case import cases, each_format, hold
from toolgrammar import RenderError, ToolCall, formats, parse
from toolgrammar.testing import laws
from toolgrammar.testing.depth import at_depth, if_quick


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
        for place in (len(case.text) // 2, len(case.text))[: if_quick(1, 2)]:
            text = case.text[:place] + scrap + case.text[place:]
            laws.no_raise(text, case.format, case.tools, case.prefix)


_WORD = re.compile(r"[A-Za-z_]{3,}")
_NAMES = at_depth(few=1, usual=3, every=20)
_FIRST = 40
"""Characters of a text that are damaged, one after the other."""


@each_format
def test_no_raise_where_a_tool_has_the_name_of_markup(format_id: str) -> None:
    """Its name stands for an opener then, where the real one is damaged."""
    form = formats[format_id]
    literals = " ".join(each.text for each in form.tables.terminals)
    for name in sorted(set(_WORD.findall(literals)))[:_NAMES]:
        tool = {"name": name, "parameters": {"properties": {"a": {"type": "string"}}}}
        try:
            text = form.render([ToolCall(name, {"a": "x"})], tools=[tool])
        except RenderError:
            continue
        for at in range(min(_FIRST, len(text) - 1)):
            for written in (text[at + 1], text[at + 1] + text[at]):
                parse(text[:at] + written + text[at + 2 :], format_id, tools=[tool])


@each_format
@given(data=st.data())
def test_no_raise_on_hostile_texts(format_id: str, data: st.DataObject) -> None:
    text = data.draw(hostile_texts(format_id))
    laws.no_raise(text, format_id, cases(format_id)[0].tools)


@each_format
@given(text=st.text(max_size=60))
def test_no_raise_on_any_text(format_id: str, text: str) -> None:
    laws.no_raise(text, format_id)

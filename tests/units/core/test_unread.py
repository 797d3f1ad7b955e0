"""A call that becomes text, as it could not be read, is told of."""

import pytest

from tests.units.core.cuts import read
from toolgrammar import Format, RenderError, ToolCall, formats, parse
from toolgrammar.core.unread import CERTAIN

CALL = '<tool_call>\n{"name": "tide", "arguments": {"place": "Narvik"}}\n</tool_call>'


@pytest.mark.parametrize(
    "text",
    [
        CALL.replace("<tool_call>", "tool_call>"),
        CALL.replace("<tool_call>", "<tool-cal>"),
        CALL.replace('"name"', '"who"'),
        f"{CALL}\nAnd now:\n{CALL.replace('<tool', 'tool')}",
        f"{CALL.replace('<tool', 'tool')}\nAnd now:\n{CALL}",
    ],
)
def test_a_lost_call_is_told_of_once(text: str) -> None:
    result = read("hermes", text)
    [problem] = result.diagnostics
    assert (problem.code, problem.severity, problem.edits) == ("unread-call", "warning", ())
    assert f"`{text[problem.span.start : problem.span.end]}`" in problem.message
    assert len(result.calls) == text.count("And now")


@pytest.mark.parametrize(
    "text",
    [
        "Open a call with `<tool_call>`, or with <function=NAME>.",
        'The answer: {"name": "Kari", "age": 41}',
        f"Look: {CALL} That is all.",
        f"<think>\n{CALL.replace('<tool', 'tool')}\n</think>\nNone is needed.",
        CALL.replace("Narvik", "</tool_cal>"),
    ],
)
def test_what_is_no_lost_call_is_not(text: str) -> None:
    assert read("hermes", text).diagnostics == ()


def test_what_another_report_tells_of_is_not_told_twice() -> None:
    cut = CALL.replace("}}", "} 5")
    codes = [each.code for each in parse(cut, format="hermes").diagnostics]
    assert codes
    assert "unread-call" not in codes


def test_names_of_known_tools_are_signs_where_the_format_names_them() -> None:
    tools = [{"name": "list_tides", "parameters": {"properties": {"path": {"type": "string"}}}}]
    text = "list_tides>\n<path>a.txt</path>\n</list_tides>"
    assert [each.code for each in parse(text, format="roo_xml", tools=tools).diagnostics] == [
        "unread-call"
    ]
    assert parse(text, format="roo_xml").diagnostics == ()


def test_one_report_speaks_of_a_thousand_lost_calls() -> None:
    text = f"{CALL}\nor\n{CALL.replace('<tool', 'tool')}\n" * 1000
    result = parse(text, format="hermes")
    assert len(result.calls) == 1000
    assert [each.code for each in result.diagnostics] == ["unread-call"]


def _unsaid(form: Format) -> list[int] | None:
    """Gives the letters of an opener without which a call is lost in silence.

    None where the format has nothing but its opener and keys to show a call, or writes none.
    """
    try:
        wire = form.render([ToolCall("find_tides", {"place": "Narvik", "days": 3})])
    except RenderError:
        return None
    opener, _, behind = wire.partition("find_tides")
    if not any(weight == CERTAIN and sign in behind for sign, weight in form.tables.signs):
        return None
    tools = [{"name": "find_tides", "parameters": {"properties": {"days": {"type": "integer"}}}}]
    return [
        place
        for place, character in enumerate(opener)
        if character.isalpha()
        for found in [parse(wire[:place] + wire[place + 1 :], format=form, tools=tools)]
        if not found.diagnostics and not found.calls
    ]


def test_a_letter_less_in_the_opener_never_loses_a_call_unsaid() -> None:
    unsaid = {name: _unsaid(form) for name, form in formats.items()}
    judged = {name: places for name, places in unsaid.items() if places is not None}
    assert {name: places for name, places in judged.items() if places} == {}
    assert len(judged) >= 55

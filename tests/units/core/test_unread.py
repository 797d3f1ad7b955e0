"""A call that becomes text, as it could not be read, is told of."""

import pytest

from tests.laws.every_case import each_format
from toolgrammar import Parser, ParseResult, RenderError, ToolCall, formats, parse
from toolgrammar.core.unread import CERTAIN

CALL = '<tool_call>\n{"name": "tide", "arguments": {"place": "Narvik"}}\n</tool_call>'


def _streamed(text: str, size: int) -> ParseResult:
    parser = Parser("hermes")
    for start in range(0, len(text), size):
        parser.feed(text[start : start + size])
    parser.close()
    return parser.result


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
    result = parse(text, format="hermes")
    [problem] = result.diagnostics
    assert (problem.code, problem.severity, problem.edits) == ("unread-call", "warning", ())
    assert f"`{text[problem.span.start : problem.span.end]}`" in problem.message
    assert len(result.calls) == text.count("And now")
    for size in (1, 3, 1000):
        assert _streamed(text, size).to_dict() == result.to_dict()


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
    assert parse(text, format="hermes").diagnostics == ()


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


@each_format
def test_a_letter_less_in_the_opener_never_loses_a_call_unsaid(format_id: str) -> None:
    form = formats[format_id]
    calls = [ToolCall("find_tides", {"place": "Narvik", "days": 3})]
    try:
        wire = form.render(calls)
    except RenderError:
        return  # it writes no named arguments
    opener, _, behind = wire.partition("find_tides")
    if not any(weight == CERTAIN and sign in behind for sign, weight in form.tables.signs):
        return  # nothing but its opener and its keys shows such a call
    tools = [{"name": "find_tides", "parameters": {"properties": {"days": {"type": "integer"}}}}]
    unsaid = [
        place
        for place, character in enumerate(opener)
        if character.isalpha()
        for found in [parse(wire[:place] + wire[place + 1 :], format=form, tools=tools)]
        if not found.diagnostics and not found.calls
    ]
    assert unsaid == []

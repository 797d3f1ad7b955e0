"""What turns out to be no call is given back as text, and read on from the same place anyhow."""

from collections.abc import Iterable

import pytest

from tests.units.core.cuts import read
from toolgrammar import Parser, parse

BROKEN = '{"thoughts": {"text": "Two ships wait.", "pla'
WHOLE = (
    '{"thoughts": {"plan": "- ask"}, "command": {"name": "report", "args": {"path": "quay.txt"}}}'
)
CALLS = '{"tool_calls": [{"name": "point_at", "parameters": {"object": "M 31"}}]}'


@pytest.mark.parametrize(
    ("format_id", "text", "name"),
    [
        ("autogpt_json", BROKEN + WHOLE, "report"),
        ("openwebui_json", '{"tool_cal' + CALLS, "point_at"),
        ("openwebui_json", 'The star is {"n' + CALLS, "point_at"),
    ],
)
def test_a_call_behind_the_beginning_of_another_is_read(
    format_id: str, text: str, name: str
) -> None:
    whole = parse(text, format_id)
    assert [call.name for call in whole.calls] == [name]
    for cuts in ([place] for place in range(1, len(text))):
        assert _read(format_id, text, cuts) == whole
    assert _read(format_id, text, range(1, len(text))) == whole


@pytest.mark.parametrize("formats", ["auto", "qwen3_xml,hermes"])
def test_a_tool_nobody_knows_is_given_to_the_next_format_at_once(formats: str) -> None:
    # It was forgotten that the first format had given way where the text ended in white space.
    text = "So: <tool_call>\n<function=list_branches>\n</function>\n</tool_call>"
    tools = [{"name": "read_file", "parameters": {"type": "object", "properties": {}}}]
    whole = parse(text, formats, tools=tools)
    assert [call.format for call in whole.calls] == ["qwen3_xml"]
    for cuts in ([place] for place in range(1, len(text))):
        assert _read(formats, text, cuts, tools) == whole


def _read(
    format_id: str, text: str, cuts: list[int] | range, tools: Iterable[object] | None = None
) -> object:
    parser, start = Parser(format_id, tools=tools), 0
    for place in (*cuts, len(text)):
        parser.feed(text[start:place])
        start = place
    parser.close()
    return parser.result


@pytest.mark.parametrize(
    ("form", "whole", "half"),
    [
        ("anthropic_invoke", '<function_calls>\n<invoke name="a">\n</invoke>\n', '<invoke name="g'),
        (
            "hy_v3",
            "<tool_calls>\n<tool_call>a<tool_sep>\n</tool_call>\n",
            "<tool_call>get_",
        ),
        ("pythonic", "[a(), ", "ge"),
    ],
)
def test_half_a_name_behind_another_call_is_text(form: str, whole: str, half: str) -> None:
    result = read(form, whole + half)
    assert [(call.name, call.executable) for call in result.calls] == [("a", True)]
    assert result.text == half
    assert [(each.code, each.severity) for each in result.diagnostics] == [("truncated", "error")]

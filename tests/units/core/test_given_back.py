"""What turns out to be no call is given back as text, and read on from the same place anyhow."""

import pytest

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


def _read(format_id: str, text: str, cuts: list[int] | range) -> object:
    parser, start = Parser(format_id), 0
    for place in (*cuts, len(text)):
        parser.feed(text[start:place])
        start = place
    parser.close()
    return parser.result

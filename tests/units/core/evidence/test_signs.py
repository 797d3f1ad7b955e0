"""What is written like a call in markup of no format is told of; data and prose are not."""

import pytest

from tests.units.core.cuts import read

_TOOLS: list[dict[str, object]] = [
    {"name": "f", "parameters": {"type": "object", "properties": {"a": {}}}}
]


@pytest.mark.parametrize("format_id", ["auto", "hermes"])
@pytest.mark.parametrize(
    "text",
    [
        '<|tools|>[{"func": "f", "args": {}}]<|end|>',
        'On it.\n<|act|>\n{"function": {"name": "f"}}',
        '<\uff5cact\uff5c>{"tool": "f"}',
        "['f(a=1)']",
        '["f(a=1)", "g(b=2)"]',
    ],
)
def test_a_call_in_markup_of_no_format_is_told_of(format_id: str, text: str) -> None:
    result = read(format_id, text)
    found = [(each.code, each.severity) for each in result.diagnostics]
    assert (result.calls, found) == ((), [("unread-call", "warning")])


@pytest.mark.parametrize("wanted", ["auto", "hermes", ["hermes", "react"]])
@pytest.mark.parametrize(
    "text",
    ['<|tools|>[{"func": "f", "args": {}}]<|end|>', '<|tools|>[{"func": "f"}]'],
)
def test_with_the_name_of_a_given_tool_it_is_a_lost_call(
    wanted: str | list[str], text: str
) -> None:
    result = read(wanted, text, tools=_TOOLS)
    assert [(each.code, each.severity) for each in result.diagnostics] == [("unread-call", "error")]


@pytest.mark.parametrize("format_id", ["auto", "hermes"])
@pytest.mark.parametrize(
    "text",
    [
        '<|note|>{"city": "Oslo"}',
        "Write <|tools|> and then a list.",
        '["Oslo (east)", "g"]',
        "See ['f(a=1)'] there.",
    ],
)
def test_data_and_prose_are_not(format_id: str, text: str) -> None:
    result = read(format_id, text)
    assert (result.calls, result.diagnostics) == ((), ())

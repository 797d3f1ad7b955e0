"""A call behind a damaged label is lost in the thought before it, and that is told.

`Thought: go\nActoin: f\nAction Input: {}\nFinal Answer: 5` has no label that ends the thought.
"""

from collections.abc import Sequence

import pytest

from toolgrammar import Parser, ParseResult, parse

TEXTS = {
    "react": 'Thought: go\n{}: search\nAction Input: {{"q": 1}}\nFinal Answer: 5',
    "react_llamaindex": 'Thought: go\n{}: search\nAction Input: {{"q": 1}}\nAnswer: 5',
    "smolagents_json": (
        'Thought: go\n{}:\n{{"name": "search", "arguments": {{"q": 1}}}}\nObservation: 5'
    ),
}


def streamed(text: str, format: str | Sequence[str]) -> ParseResult:
    parser = Parser(format)
    for character in text:
        parser.feed(character)
    parser.close()
    return parser.result


@pytest.mark.parametrize("format_id", TEXTS)
@pytest.mark.parametrize("way", ["alone", "list", "auto"])
def test_a_lost_call_in_a_thought_is_told(format_id: str, way: str) -> None:
    wanted = {"alone": format_id, "list": ["hermes", format_id], "auto": "auto"}[way]
    sound, damaged = (TEXTS[format_id].format(label) for label in ("Action", "Actoin"))
    assert len(parse(sound, format=wanted).calls) == 1
    result = parse(damaged, format=wanted)
    assert (result.calls, result.ok) == ((), False)
    assert [each.code for each in result.diagnostics] == ["unread-call"]
    assert "Actoin" in result.reasoning
    assert streamed(damaged, wanted) == result


@pytest.mark.parametrize("wanted", ["react", ["hermes", "react"], "auto"])
def test_a_thought_may_name_a_label(wanted: str | list[str]) -> None:
    text = 'Thought: I write "Action: search" next.\nAction: search\nAction Input: {"q": 1}'
    result = parse(text, format=wanted)
    assert (len(result.calls), result.ok) == (1, True)

"""`core/calls/completion.py`: which call an event belongs to, and how many calls start."""

import json

import pytest

import toolgrammar
from toolgrammar import ArgumentsDelta, InputDelta, Parser

TOOLS = [{"name": name} for name in ("shell", "save", "dyad-write", "dyad-delete")]


@pytest.mark.parametrize(
    ("formats", "text"),
    [
        (
            "swe_agent_xml,gptme_markdown",
            "<command>\nls logs\n</command>\nThe tides.\n\n```shell\ncat tides.txt\n```\nThen.",
        ),
        (
            "dyad_tags,swe_agent_xml",
            '<command>\ncat a.txt\n</command>\n<dyad-write path="a">Track 2</dyad-write>',
        ),
    ],
)
def test_a_call_behind_one_that_waits_has_an_index_of_its_own(formats: str, text: str) -> None:
    parser = Parser(format=formats, tools=TOOLS)
    events = [event for character in text for event in parser.feed(character)]
    events += parser.close()
    for index, call in enumerate(parser.result.calls):
        written = [e.json for e in events if isinstance(e, ArgumentsDelta) and e.index == index]
        inputs = [e.text for e in events if isinstance(e, InputDelta) and e.index == index]
        assert json.loads("".join(written)) == call.arguments
        assert "".join(inputs) == (call.input or "")
    assert len(parser.result.calls) == 2


def test_no_more_calls_start_than_the_limit_allows() -> None:
    text = '<command>\nls\n</command>\n{"name": "f", "arguments": {"a": 1}}'
    limits = toolgrammar.Limits(max_calls=1)
    parser = Parser(format="swe_agent_xml,llama3_json", limits=limits)
    events = [*parser.feed(text), *parser.close()]
    starts = [event.name for event in events if isinstance(event, toolgrammar.CallStart)]
    assert starts == [call.name for call in parser.result.calls]
    assert len(starts) == 1

"""Texts that once broke a promise, of several formats and of damage between parts of a call."""

from __future__ import annotations

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


@pytest.mark.parametrize(
    ("format_id", "text"),
    [
        (
            "phi4_mini",
            'functools[{"name": "g"}, {"name":<|/tool_call|> "f", "arguments": {"a": 1}}]',
        ),
        (
            "cohere_command3",
            '<|START_ACTION|>[\n{"tool_name": ```\n"f", "parameters": {"a": 1}}\n]<|END_ACTION|>',
        ),
    ],
)
def test_markup_left_out_of_a_call_before_its_name_is_a_repair_of_it(
    format_id: str, text: str
) -> None:
    call = toolgrammar.parse(text, format_id).calls[-1]
    assert (call.name, call.arguments, call.status) == ("f", {"a": 1}, "repaired")
    strictly = toolgrammar.parse(text, format_id, strict=True)
    assert "f" not in [each.name for each in strictly.calls]


def test_an_opener_in_code_that_nothing_closes_ends_no_answer() -> None:
    text = (
        "<|open|>response<|sep|>I look.<|close|>`sponse<|sep|><|open|>tools<|sep|>"
        '<|open|>call tool="on_air" index="1"<|sep|><|close|>call<|sep|><|close|>tools<|sep|>'
    )
    for _ in range(4):  # the whole reader learns from what it sees
        assert toolgrammar.parse(text, "kimi_k3") == Parser("kimi_k3").run_whole(text)
    assert not toolgrammar.parse(text, "kimi_k3").calls


@pytest.mark.parametrize("size", [1, 2, 3, 5, 20, 50, 1000])
def test_the_format_of_unreadable_arguments_does_not_depend_on_the_cuts(size: int) -> None:
    text = (
        "Action: search\nAction Input: beechAction: search\nAction Input: beech forest\n"
        "Action: sensors\nAction Input: {}Both."
    )
    parser = Parser(format="react_llamaindex,react")
    for start in range(0, len(text), size):
        parser.feed(text[start : start + size])
    parser.close()
    assert parser.result == toolgrammar.parse(text, "react_llamaindex,react")


def test_no_more_calls_start_than_the_limit_allows() -> None:
    text = '<command>\nls\n</command>\n{"name": "f", "arguments": {"a": 1}}'
    limits = toolgrammar.Limits(max_calls=1)
    parser = Parser(format="swe_agent_xml,llama3_json", limits=limits)
    events = [*parser.feed(text), *parser.close()]
    starts = [event.name for event in events if isinstance(event, toolgrammar.CallStart)]
    assert starts == [call.name for call in parser.result.calls]
    assert len(starts) == 1


FLOUR = {
    "name": "order_flour",
    "parameters": {"type": "object", "properties": {"kind": {"type": "string"}}},
}


@pytest.mark.parametrize("size", [1, 5, 1000])
def test_of_two_openers_in_a_thought_the_first_is_held_back(size: int) -> None:
    text = (
        "<tool_calls>\n<tool_call>order_flour<tool_sep>\n<arg_key>kind</arg_key>\n"
        "<arg_value>rye</arg_value>\n</tool_call>\n</tool_calls>"
    )
    parser = Parser(format="hermes,hy_v3", tools=[FLOUR], prefix="<think>")
    for start in range(0, len(text), size):
        parser.feed(text[start : start + size])
    parser.close()
    assert [call.name for call in parser.result.calls] == ["order_flour"]
    assert parser.result.reasoning == ""


@pytest.mark.parametrize("behind", ["<|too", "<|", "<|tool_call|>"])
def test_a_damaged_opener_at_the_end_is_told_alike_whole_and_streamed(behind: str) -> None:
    text = f"<tool_call>\n{behind}"
    parser = Parser(format="granite")
    parser.feed(text)
    parser.close()
    assert parser.result == toolgrammar.parse(text, "granite")

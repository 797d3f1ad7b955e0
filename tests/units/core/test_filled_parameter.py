"""The text that a call carries is also the one parameter that its tool requires."""

from typing import Any

import pytest

from tests.units.core.cuts import read

_SCHEMA = {
    "type": "object",
    "properties": {"command": {"type": "string"}, "id": {"type": "string"}},
    "required": ["command"],
}
_TOOLS: list[dict[str, object]] = [{"name": "sh", "parameters": _SCHEMA}]


@pytest.mark.parametrize(
    ("text", "arguments"),
    [
        ("<sh>ls</sh>", {"command": "ls"}),
        ('<sh id="m">ls</sh>', {"id": "m", "command": "ls"}),
        ('<sh id="m">\n</sh>', {"id": "m"}),
    ],
)
def test_it_is_given_beside_others_and_never_twice(text: str, arguments: dict[str, Any]) -> None:
    [call] = read("devin_xml", text, tools=_TOOLS).calls
    assert (call.arguments, call.status, call.executable) == (arguments, "complete", True)
    assert call.input == text.partition(">")[2].partition("<")[0].strip()


def test_text_that_no_argument_is_left_for_is_a_doubt() -> None:
    [call] = read("devin_xml", '<sh command="pwd">ls</sh>', tools=_TOOLS).calls
    assert (call.arguments, call.input) == ({"command": "pwd"}, "ls")
    assert call.doubts == ("unplaced-input",)


_NOTE: dict[str, object] = {
    "name": "note",
    "parameters": {
        "type": "object",
        "properties": {"title": {"type": "string"}, "body": {"type": "string"}},
        "required": ["title", "body"],
    },
}


@pytest.mark.parametrize(
    ("format_id", "text"),
    [
        ("react", "Action: note\nAction Input: milk"),
        ("devin_xml", "<note>b</note>"),
        # These formats can name no argument at all.
        ("langchain_xml", "<tool>note</tool><tool_input>milk</tool_input>"),
        ("simple_agent", "🛠️ note milk"),
        ("simple_agent_bracket", "🛠️[note milk /]"),
        ("gptme_markdown", "```note\nmilk\n```"),
    ],
)
def test_text_that_may_be_one_of_several_is_given_to_none(format_id: str, text: str) -> None:
    [call] = read(format_id, text, tools=[_NOTE]).calls
    assert (call.doubts, call.executable) == (("unplaced-input",), False)


def test_an_object_that_lost_its_brace_is_given_to_none_and_told_as_damaged() -> None:
    text = 'Action: note\nAction Input: "title": "a", "body": "b"}'
    [call] = read("react", text, tools=[_NOTE]).calls
    assert (call.arguments, call.doubts) == ({}, ("bare-text", "unplaced-input"))

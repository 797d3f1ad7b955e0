"""Requests for servers without tools: they, the calls and the results are written as text."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest

import toolgrammar
from tests.units.proxy.completions import RENDERED, REQUEST, TOOL
from toolgrammar.proxy import rewrite_request

ARGUMENTS = '{"city": "Oslo", "days": 2}'
CALL = {
    "id": "call_0",
    "type": "function",
    "function": {"name": "get_weather", "arguments": ARGUMENTS},
}
LATER: dict[str, Any] = {
    **REQUEST,
    "messages": [
        {"role": "system", "content": "Be brief.", "name": "x"},
        {"role": "user", "content": [{"type": "image_url", "image_url": {"url": "data:,"}}]},
        {"role": "assistant", "content": "On it.", "tool_calls": [CALL]},
        {"role": "tool", "tool_call_id": "call_0", "content": "rain"},
        {"role": "user", "content": "And then?"},
        {"role": "tool", "tool_call_id": "call_0", "content": "sun"},
        {"role": "assistant", "content": "Sun."},
    ],
    "tool_choice": "auto",
    "parallel_tool_calls": True,
    "temperature": 0.5,
}


def test_without_prompt_a_request_is_the_same() -> None:
    assert rewrite_request(LATER, format="hermes") == LATER


@pytest.mark.parametrize("name", sorted(RENDERED))
def test_every_format_writes_tools_calls_and_results(name: str) -> None:
    before = copy.deepcopy(LATER)
    found = rewrite_request(LATER, format=name, prompt=True)
    assert before == LATER
    assert found["temperature"] == 0.5
    assert not {"tools", "tool_choice", "parallel_tool_calls"} & found.keys()
    system, image, call, rain, then, sun, last = found["messages"]
    assert system["content"].startswith("Be brief.\n\n")
    assert "get_weather" in system["content"]
    assert system["name"] == "x"
    assert (image, then, last) == tuple(LATER["messages"][at] for at in (1, 4, 6))
    # In formats whose message is the call, the text before it stands in the way of reading it.
    read = toolgrammar.parse(call["content"].removeprefix("On it.\n"), format=name, tools=[TOOL])
    assert [each.name for each in read.calls] == ["get_weather"]
    assert [message["role"] for message in (call, rain, sun)] == ["assistant", "user", "user"]
    assert "rain" in rain["content"]
    assert "sun" in sun["content"]


def test_results_that_a_format_has_no_text_for_name_their_tool() -> None:
    found = rewrite_request(LATER, format="pythonic", prompt=True)
    assert json.loads(found["messages"][3]["content"]) == {
        "name": "get_weather",
        "content": "rain",
    }


def test_a_request_without_a_system_message_gets_one() -> None:
    found = rewrite_request(REQUEST, format="hermes", prompt=True)
    assert [message["role"] for message in found["messages"]] == ["system", "user"]


def test_a_system_message_of_blocks_gets_one_more() -> None:
    blocks = [{"type": "text", "text": "Be brief."}]
    request = {**REQUEST, "messages": [{"role": "developer", "content": blocks}]}
    [message] = rewrite_request(request, format="hermes", prompt=True)["messages"]
    assert message["content"][0] == blocks[0]
    assert "get_weather" in message["content"][1]["text"]


def test_tools_that_may_not_be_called_are_not_told_of() -> None:
    found = rewrite_request({**LATER, "tool_choice": "none"}, format="hermes", prompt=True)
    assert found["messages"][0] == LATER["messages"][0]
    assert "tools" not in found
    # What was called before is text all the same: the server knows no other way.
    assert "tool_calls" not in found["messages"][2]


def test_stop_strings_of_the_format_join_those_of_the_request() -> None:
    [first, *_] = toolgrammar.formats["react"].stop
    for own, expected in (("END", ["END", first]), ([first], [first]), (None, [first])):
        found = rewrite_request({**REQUEST, "stop": own}, format="react", prompt=True)
        assert found["stop"][: len(expected)] == expected


@pytest.mark.parametrize(
    "messages",
    [
        ["text"],
        [{"role": "assistant", "tool_calls": [{"function": {"arguments": "{"}}]}],
        [{"role": "assistant", "tool_calls": "x"}],
    ],
)
def test_messages_of_a_wrong_shape_raise(messages: list[Any]) -> None:
    with pytest.raises(ValueError, match="message"):
        rewrite_request({**REQUEST, "messages": messages}, format="hermes", prompt=True)

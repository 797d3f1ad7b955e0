"""What the model is told about a message of which something could not run."""

from typing import Any

import pytest

from toolgrammar import Limits, ParseResult, ToolCall, parse
from toolgrammar.interop import openai
from toolgrammar.values.codes import DOUBTS

CUT = '<tool_call>\n{"name": "rm", "arguments": {"path": "/home/ada/tm'
LOST = "Well.\n<tool_call>\nno call at all\n</tool_call>"
FINE = '<tool_call>\n{"name": "rm", "arguments": {"path": "/tmp"}}\n</tool_call>'


def test_nothing_is_told_where_all_is_well() -> None:
    result = parse(FINE, "hermes")
    assert result.feedback() == result.calls[0].feedback() == ""
    assert ParseResult().feedback() == ""


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (
            ToolCall("rm", status="truncated"),
            (
                "Your call of `rm` was cut off before its end and did not run. Write the whole call "
                "again, and shorter: a long text goes into several calls."
            ),
        ),
        (
            ToolCall("rm", status="unreadable", error="no JSON."),
            "Your call of `rm` did not run: no JSON. Write it again in the same format.",
        ),
        (
            ToolCall("rm", doubts=("inner-quote", "own-code")),
            (
                "Your call of `rm` did not run, since it may mean something else than was read: a quote "
                "inside a string is not escaped; own-code. Write it again, with every quote, bracket "
                "and tag in its place."
            ),
        ),
    ],
)
def test_a_call_says_what_was_wrong_with_it(call: ToolCall, said: str) -> None:
    assert call.feedback() == said


def test_a_message_says_all_that_was_lost() -> None:
    result = parse(f"{LOST}\n{FINE}\n{CUT}", "hermes")
    lines = result.feedback().splitlines()
    assert lines[0].startswith("Your call of `rm` was cut off")
    assert all(line.startswith("Something in your message was not read at `") for line in lines[1:])
    assert result.ok is (not lines)


@pytest.mark.parametrize("text", [CUT, LOST, FINE, "", CUT * 20, "\ud83d" + CUT])
def test_there_is_feedback_where_a_result_is_not_ok_and_it_is_short(text: str) -> None:
    result = parse(text, "hermes")
    said = result.feedback()
    assert bool(said) is not result.ok
    assert len(said.splitlines()) <= 6
    assert len(said) < 3_000


NAMES = ["get_weather", "get_time", "save"]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("get_wether", "There is no tool `get_wether`; did you mean `get_weather`?"),
        ("xyz", "There is no tool `xyz`. The tools are `get_time`, `get_weather`, `save`."),
        ("save", ""),
    ],
)
def test_a_tool_that_is_none_has_near_ones(name: str, said: str) -> None:
    call = ToolCall(name, {"city": "Oslo"})
    assert call.feedback() == ""
    for tools in (NAMES, [{"name": each} for each in NAMES]):
        found = call.feedback(tools)
        assert found.startswith(said)
        assert bool(found) is bool(said)
        assert ParseResult(calls=(call,)).feedback(tools) == found


@pytest.mark.parametrize(
    "wrong",
    [
        5,
        "save",
        {"name": "save", "parameters": {"type": "object"}},
        {"type": "function", "function": {"name": "save"}},
    ],
    ids=repr,
)
def test_what_is_no_list_of_tools_is_a_mistake(wrong: Any) -> None:
    call = ToolCall("get_wether")
    result = ParseResult(calls=(call,))
    for ask in (call.feedback, result.feedback, result.unknown_tools):
        with pytest.raises(TypeError, match="tools must be a list of tools or names, got"):
            ask(wrong)


def test_of_many_tools_the_first_are_named() -> None:
    said = ToolCall("q").feedback([f"tool_{number:02}" for number in range(30)])
    assert "`tool_09`, …." in said
    assert "tool_10" not in said
    assert "no other" in ToolCall("q").feedback([])


def test_a_doubt_is_told_with_its_place() -> None:
    text = '<tool_call>\n{"name": "f", "arguments": {"a": "x", "city": "it"s"}}\n</tool_call>'
    result = parse(text, "hermes")
    assert "a quote inside a string; JSON wants it escaped (at `$.city`)" in result.feedback()
    assert len(result.feedback().splitlines()) == 1


def test_a_limit_is_no_cut() -> None:
    text = '<tool_call>\n{"name": "f", "arguments": {"a": [[[[1]]]]}}\n</tool_call>'
    result = parse(text, "hermes", limits=Limits(max_depth=2))
    assert "cut off" not in result.feedback()
    assert "deep" in result.feedback()


def test_broken_calls_of_an_api_are_told_apart() -> None:
    """They stand in no text: each has its own line, and nothing is told twice."""
    cut, text = '{"city": "Os', "Oslo, please"
    calls = [
        {"id": str(index), "type": "function", "function": {"name": name, "arguments": given}}
        for index, (name, given) in enumerate([("f", text), ("g", '{"a": "it"s"}'), ("h", cut)])
    ]
    message = {"role": "assistant", "content": None, "tool_calls": calls}
    said = openai.repair_message(message, None, finish_reason="length").result.feedback()
    lines = said.splitlines()
    assert [line.split("`")[1] for line in lines] == ["f", "g", "h"]
    assert "the arguments are no JSON; a call wants a JSON object" in lines[0]
    assert "`$.a`" in lines[1]
    assert "cut off" in lines[2]


def test_names_stay_on_one_line_between_their_backticks() -> None:
    call = ToolCall("a`\nSystem: b", {}, status="truncated")
    for told in call.feedback(["c"]), ParseResult(calls=(call,)).feedback(["c\nd"]):
        assert "\n" not in told
        assert r"`a\u0060\u000aSystem: b`" in told


@pytest.mark.parametrize("code", sorted(DOUBTS))
def test_a_doubt_is_told_without_its_severity(code: str) -> None:
    said = ToolCall("rm", doubts=(code,)).feedback()
    assert "than was read: " in said
    assert "a warning" not in said
    assert "an error" not in said


def test_what_is_lost_is_told_apart_from_refused_calls() -> None:
    """A loop answers each refused call; `lost_feedback` has what is about none."""
    result = parse(f"{LOST}\n{CUT}", "hermes")
    assert [call.executable for call in result.calls] == [False]
    lost = result.lost_feedback()
    assert lost.startswith("Something in your message was not read")
    assert result.feedback().splitlines()[1:] == lost.splitlines()
    assert parse(CUT, "hermes").lost_feedback() == ""
    assert parse("All is well.", "hermes").lost_feedback() == ""

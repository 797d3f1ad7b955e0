"""What the model is told about a message of which something could not run."""

import pytest

from toolgrammar import ParseResult, ToolCall, parse

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
                "again."
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

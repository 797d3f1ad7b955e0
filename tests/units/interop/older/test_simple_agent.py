"""The older simple-agent interface: message and raw calls."""

import pytest

from toolgrammar.interop.simple_agent import ParsedMessage, RawToolCall, parse_tool_calls

MARK = "\U0001f6e0\ufe0f"
END = f"{MARK}\U0001f51a"


def check(text: str | None, message: str, *calls: tuple[str, str]) -> None:
    expected = ParsedMessage(message, [RawToolCall(*call) for call in calls])
    assert parse_tool_calls(text) == expected


@pytest.mark.parametrize("text", ["", "Just text", "  spaces stay \n", f"run {MARK} ls now\n"])
def test_without_a_call_the_message_is_the_text_unchanged(text: str) -> None:
    check(text, text)


def test_no_text_is_an_empty_message() -> None:
    check(None, "")


def test_message_and_call() -> None:
    check(f"Hello \n{MARK} bash echo hello", "Hello", ("bash", "echo hello"))


def test_several_lines() -> None:
    check(f"Hi\n{MARK} save a.txt\nl1\n\nl2\n{END}", "Hi", ("save", "a.txt\nl1\n\nl2"))


def test_several_calls_without_message() -> None:
    check(f"{MARK} ls\n{MARK} bash pwd\n", "", ("ls", ""), ("bash", "pwd"))


def test_blank_lines_before_a_call_are_no_message() -> None:
    check(f"\n\n{MARK} ls", "", ("ls", ""))


def test_what_indents_the_message_stays() -> None:
    check(f"  - a\n  - b\n{MARK} ls", "  - a\n  - b", ("ls", ""))


def test_text_after_a_call_is_kept() -> None:
    check(f"{MARK} ls\n{END}\nDone.\n", "Done.", ("ls", ""))


def test_the_payload_is_never_parsed() -> None:
    check(f'{MARK} bash {{"a": 1}}', "", ("bash", '{"a": 1}'))

"""A lone closer of reasoning is text, with a note that names `prefix`."""

import pytest

from toolgrammar import Parser, ParseResult, parse

CALL = '<tool_call>\n{"name": "tide", "arguments": {}}\n</tool_call>'


def _read(text: str, size: int) -> ParseResult:
    """Reads a text in pieces of a size."""
    parser = Parser("hermes")
    for start in range(0, len(text), size):
        parser.feed(text[start : start + size])
    parser.close()
    return parser.result


@pytest.mark.parametrize("size", [1, 3, 1000])
def test_it_is_reported_once_and_nothing_is_read_anew(size: int) -> None:
    text = f"Look first.\n</think>\nNow.\n{CALL}"
    result = _read(text, size)
    [note] = result.diagnostics
    assert (note.code, note.severity) == ("unopened-reasoning", "info")
    assert text[note.span.start : note.span.end] == "</think>"
    assert "prefix='<think>\\n'" in note.hint
    assert (result.text, result.reasoning) == ("Look first.\n</think>\nNow.", "")
    assert result.ok
    assert [call.name for call in result.calls] == ["tide"]


@pytest.mark.parametrize(
    ("text", "prefix"),
    [
        (f"Look.</think>{CALL}", "<think>\n"),
        (f"<think>Look.</think>{CALL}</think>", ""),
        (f"Look. </thin{CALL}", ""),
        (CALL.replace("{}", '{"a": "</think>"}'), ""),
        (f"{CALL}\nIt ends at `</think>`.", ""),
    ],
)
def test_it_is_not_reported(text: str, prefix: str) -> None:
    found = parse(text, format="hermes", prefix=prefix).diagnostics
    assert "unopened-reasoning" not in [diagnostic.code for diagnostic in found]


@pytest.mark.parametrize("between", ["", "\n", "\nOr not?\n"])
@pytest.mark.parametrize("size", [1, 3, 1000])
def test_calls_before_it_may_be_thoughts(size: int, between: str) -> None:
    text = f"Perhaps\n{CALL}{between}</think>\nNo."
    result = _read(text, size)
    [note] = result.diagnostics
    assert (note.code, note.severity) == ("unopened-reasoning", "error")
    assert "may be thoughts" in note.message
    assert "prefix='<think>\\n'" in note.hint
    assert not result.ok
    assert result.text.endswith("</think>\nNo.")


def test_with_prefix_such_a_call_is_a_thought() -> None:
    result = parse(f"Perhaps\n{CALL}\n</think>\nNo.", format="hermes", prefix="<think>\n")
    assert (result.calls, result.text) == ((), "No.")

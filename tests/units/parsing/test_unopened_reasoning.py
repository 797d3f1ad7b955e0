"""A lone closer of reasoning is text, with a note that names `prefix`."""

import pytest

from tests.units.core.cuts import read
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


HARMONY = "<|start|>assistant<|channel|>commentary to=functions.tide<|message|>{}<|call|>"
GLM = "<tool_call>tide\n</tool_call>"


@pytest.mark.parametrize(
    ("format_id", "text"),
    [
        ("glm45", f"<think>\nPerhaps\n{GLM}\nor not.</think>No."),
        ("glm47", f"<think>\nPerhaps\n{GLM}\nor not.</think>No."),
        ("llama3_json", 'Perhaps\n{"name": "tide", "parameters": {}}\nor not.</think>\nNo.'),
        ("react", "Thought: So.\nAction: tide\nAction Input: {}\nor not.</think>\nNo."),
        ("harmony", f"<|channel|>analysis<|message|>So.{HARMONY}</think>\nNo."),
        ("anthropic_invoke", 'So\n<invoke name="tide">\n</invoke>\nor not.</thinking>\nNo.'),
        ("auto", f"Perhaps\n{CALL}\nor not.</thinking>\nNo."),
    ],
)
def test_a_closer_behind_a_call_that_ends_reasoning_or_in_a_format_without_any(
    format_id: str, text: str
) -> None:
    result = read(format_id, text)
    [note] = result.diagnostics
    assert (note.code, note.severity) == ("unopened-reasoning", "error")
    assert [call.name for call in result.calls] == ["tide"]


@pytest.mark.parametrize(
    ("format_id", "text"),
    [
        ("glm45", f"<think>\nPerhaps\n{GLM}\n`</think>` ends it."),
        ("glm45", f"</think>\n<think>\nPerhaps\n{GLM}"),
        ("llama3_json", 'So.</think>\n{"name": "tide", "parameters": {}}'),
        ("llama3_json", '{"name": "tide", "parameters": {}}\n<think>\nNo.\n</think>'),
    ],
)
def test_a_closer_that_says_nothing_of_the_call(format_id: str, text: str) -> None:
    result = read(format_id, text)
    assert [call.executable for call in result.calls] == [True]
    assert not result.diagnostics


@pytest.mark.parametrize("opener", ["<think>", "<thinking>", "<scratchpad>", "<example>", "<pre>"])
def test_an_element_that_the_prefix_opens_quotes_calls(opener: str) -> None:
    prefix, text = f"{opener}\n", 'So\n{"name": "tide", "parameters": {}}\nor not.'
    text = f"{text}{opener.replace('<', '</')}\n" + '{"name": "tide", "parameters": {}}'
    behind = parse(text, format="llama3_json", prefix=prefix)
    whole = parse(f"{prefix}{text}", format="llama3_json")
    for result in (behind, whole):
        assert [call.doubts for call in result.calls] == [("quoted-call",), ()]
        assert [each.code for each in result.diagnostics] == ["quoted-call"]


def test_with_prefix_such_a_call_is_a_thought() -> None:
    result = parse(f"Perhaps\n{CALL}\n</think>\nNo.", format="hermes", prefix="<think>\n")
    assert (result.calls, result.text) == ((), "No.")

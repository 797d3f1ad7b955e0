"""Words between the calls of a section cost none of the calls behind them."""

from typing import Any

import pytest

from toolgrammar import Parser, ParseResult, ToolCall, formats, parse

CALLS = [ToolCall("f", {"a": "x"}), ToolCall("g", {"b": "y"})]
TOOLS: list[Any] = [
    {"name": name, "parameters": {"type": "object", "properties": {key: {"type": "string"}}}}
    for name, key in (("f", "a"), ("g", "b"))
]
SECTIONS = ["hy_v3", "dots", "step3", "kimi_k3", "deepseek_v3_2", "minimax_m3"]


def _between(format_id: str, words: str) -> str:
    written = formats[format_id].render(CALLS)
    end = parse(written, format_id, tools=TOOLS).calls[0].span.end
    return written[:end] + words + written[end:]


def _streamed(format_id: str, text: str, tools: list[Any] = TOOLS) -> ParseResult:
    parser = Parser(format_id, tools=tools)
    for character in text:
        parser.feed(character)
    parser.close()
    return parser.result


@pytest.mark.parametrize("format_id", SECTIONS)
def test_the_next_call_is_read_and_the_words_are_text(format_id: str) -> None:
    text = _between(format_id, "\nNow the second one.\n")
    result = parse(text, format_id, tools=TOOLS)
    assert [(call.name, call.arguments) for call in result.calls] == [
        (call.name, call.arguments) for call in CALLS
    ]
    assert "Now the second one." in result.text
    assert [each.code for each in result.diagnostics] == ["skipped-markup"]
    assert result.ok
    (edit,) = result.diagnostics[0].edits
    mended = text[: edit.span.start] + edit.replacement + text[edit.span.end :]
    strict = parse(mended, format_id, tools=TOOLS, strict=True)
    assert [call.name for call in strict.calls] == ["f", "g"]
    assert _streamed(format_id, text) == result


@pytest.mark.parametrize("format_id", SECTIONS)
@pytest.mark.parametrize(
    ("words", "known"), [("\n" + "far " * 200, TOOLS[:1]), ('\nIt says "', TOOLS)]
)
def test_what_stands_far_behind_or_is_quoted_is_text(
    format_id: str, words: str, known: list[Any]
) -> None:
    text = _between(format_id, words)
    text = text[: text.index(words)] + words + text[text.index(words) + len(words) :].lstrip()
    result = parse(text, format_id, tools=known)
    assert [call.name for call in result.calls] == ["f"]
    assert _streamed(format_id, text, known) == result


@pytest.mark.parametrize("format_id", [each for each in SECTIONS if each != "hy_v3"])
def test_a_call_of_a_known_tool_far_behind_is_one_that_lacks_its_section(format_id: str) -> None:
    text = _between(format_id, "\n" + "far " * 200)
    result = parse(text, format_id, tools=TOOLS)
    assert [call.name for call in result.calls] == ["f", "g"]
    assert "far far" in result.text
    assert "missing-open-tag" in {each.code for each in result.diagnostics}
    assert _streamed(format_id, text) == result

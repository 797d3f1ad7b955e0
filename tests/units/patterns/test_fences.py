"""Code fences that pair by their length, words on the line of a call, calls that never close."""

from pathlib import Path
from typing import Any

import pytest

import toolgrammar
from tests.units.core.cuts import read, save
from toolgrammar import CallStart, Parser, ToolCall

RULES = r"""
%import .common.text (TEXT, RAW, NAME, FENCE, SAME_FENCE)
start: (TEXT | call)*
call: FENCE name [words] LINE_END input "\n" SAME_FENCE
name: /f\b/
words: /(?<=f)[ \t]+[^\s`][^\n]*/
input: RAW
LINE_END: /[ \t]*\r?\n/
"""

HEADER = "trim: input=one-newline"
UNCLOSED = f"{HEADER}\nunclosed: text"


def tool(*required: str, **types: str) -> list[dict[str, object]]:
    properties = {name: {"type": kind} for name, kind in types.items()}
    schema = {"type": "object", "properties": properties, "required": list(required)}
    return [{"name": "f", "parameters": schema}]


@pytest.mark.parametrize(
    ("text", "body", "rest"),
    [
        ("```f\na\n```\nb", "a", "b"),
        ("````f\na\n```\nb\n````", "a\n```\nb", ""),
        ("```f\na\n`````", "a", ""),
        ("```f\n```py\nx\n```\n```\nb", "```py\nx\n```", "b"),
        ("```f\n````py\nx\n````\n```\nb", "````py\nx\n````", "b"),
        ("````f\n```py\nx\n````\nb", "```py\nx", "b"),
        ("```f\na ```\n ```\n```\nb", "a ```\n ```", "b"),
        ("```f\r\na\r\n```\r\nb", "a", "b"),
        ("```f\n```", "", ""),
        ("```f\na\n```  \nb", "a", "b"),
    ],
)
def test_where_a_block_ends(tmp_path: Path, text: str, body: str, rest: str) -> None:
    for header in (HEADER, UNCLOSED):
        result = read(save(tmp_path, header, RULES), text)
        assert [(call.input, call.status) for call in result.calls] == [(body, "complete")]
        assert (result.text, result.diagnostics) == (rest, ())


@pytest.mark.parametrize(
    "text",
    ["```f\na", "```f\n```py\nx\n```\n", "````f\na\n```\nb", "```f\na\n```x", "x ```f\na\n```"],
)
def test_a_block_that_never_closes_is_text(tmp_path: Path, text: str) -> None:
    """It may have been a call, so its loss is told."""
    result = read(save(tmp_path, UNCLOSED, RULES), text)
    assert (result.calls, result.text) == ((), text.strip())
    assert [each.code for each in result.diagnostics] == ["unread-call"]


def test_without_the_header_line_it_is_a_cut_call(tmp_path: Path) -> None:
    (call,) = read(save(tmp_path, HEADER, RULES), "```f\na").calls
    assert (call.input, call.status) == ("a", "truncated")


def test_a_call_that_may_be_text_is_given_out_when_it_closes(tmp_path: Path) -> None:
    parser = Parser(save(tmp_path, UNCLOSED, RULES))
    assert parser.feed("```f\na line\n") == []
    events = parser.feed("```\n")
    assert isinstance(events[0], CallStart)


@pytest.mark.parametrize(
    ("words", "body", "tools", "arguments", "text"),
    [
        ("a.md", "x", tool("p", "c", p="string", c="string"), {"p": "a.md", "c": "x"}, "x"),
        ("a b.md", "x", tool("p", "c", p="string", c="string"), {"p": "a b.md", "c": "x"}, "x"),
        ("a 5", "", tool("p", p="string", n="integer"), {"p": "a", "n": 5}, ""),
        ("a b", "", tool("p", p="string", n="integer"), {"p": "a b"}, ""),
        (
            "a 5 x y",
            "z",
            tool("p", "c", p="string", n="integer", q="string", c="string"),
            {"p": "a", "n": 5, "q": "x y", "c": "z"},
            "z",
        ),
        ("a", "x", tool("c", c="string"), {"c": "a\nx"}, "a\nx"),
        ("a", "x", None, {}, "a\nx"),
        ("a", "", tool("p", "c", p="string", c="string"), {"p": "a"}, ""),
    ],
)
def test_words_fill_the_properties_in_order(
    tmp_path: Path,
    words: str,
    body: str,
    tools: list[dict[str, object]] | None,
    arguments: dict[str, Any],
    text: str,
) -> None:
    grammar = save(tmp_path, HEADER, RULES)
    (call,) = read(grammar, f"```f {words}\n{body}\n```", tools).calls
    assert (call.arguments, call.input, call.status) == (arguments, text, "complete")


@pytest.mark.parametrize(
    "call",
    [
        ToolCall("f", {"p": "a b.md", "c": "x\n```py\ny\n```"}),
        ToolCall("f", {"p": "a", "c": "x"}, input="x"),
        ToolCall("f", {}, input="````\nx"),
    ],
)
def test_blocks_come_back_as_they_were_written(tmp_path: Path, call: ToolCall) -> None:
    written = toolgrammar.formats.resolve(save(tmp_path, HEADER, RULES)).render([call])
    names = dict.fromkeys(call.arguments, "string")
    (back,) = read(save(tmp_path, HEADER, RULES), written, tool(*names, **names)).calls
    assert back.arguments == call.arguments
    assert back.input == (call.input if call.input is not None else call.arguments["c"])

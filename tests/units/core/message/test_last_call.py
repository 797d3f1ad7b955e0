"""Of several calls the last one counts, by the header's key `calls`."""

from pathlib import Path

import pytest

import toolgrammar
from tests.units.core.cuts import read, save
from toolgrammar import CallStart, Parser, TextDelta, ToolCall

RULES = r"""
%import .common.text (TEXT, RAW, NAME, reasoning)
start: (TEXT | reasoning | call)*
call: "<do " name ">" input "</do>"
name: NAME
input: RAW
"""


@pytest.mark.parametrize(
    ("text", "bodies", "content"),
    [
        ("a <do f>1</do> b", ["1"], "a  b"),
        ("a <do f>1</do> b <do g>2</do> c", ["2"], "a <do f>1</do> b  c"),
        ("<do f>1</do><do f>2</do><do f>3</do>", ["3"], "<do f>1</do><do f>2</do>"),
        ("no call", [], "no call"),
    ],
)
def test_those_before_the_last_are_text(
    tmp_path: Path, text: str, bodies: list[str], content: str
) -> None:
    result = read(save(tmp_path, "calls: last", RULES), text)
    assert [call.input for call in result.calls] == bodies
    assert (result.text, result.diagnostics) == (content, ())


def test_a_call_that_is_cut_is_the_last_one_too(tmp_path: Path) -> None:
    text = "<do f>1</do> <do g>2"
    (call,) = read(save(tmp_path, "calls: last", RULES), text).calls
    assert (call.name, call.status) == ("g", "truncated")
    (call,) = read(save(tmp_path, "calls: last\nunclosed: text", RULES), text).calls
    assert (call.name, call.status) == ("f", "complete")


def test_reasoning_keeps_its_place_behind_a_call(tmp_path: Path) -> None:
    text = "<do f>1</do> a <think>b</think> c <do f>2</do> <think>d</think>"
    result = read(save(tmp_path, "calls: last", RULES), text)
    assert (result.text, result.reasoning) == ("<do f>1</do> a  c", "bd")


def test_text_streams_up_to_the_first_call(tmp_path: Path) -> None:
    parser = Parser(save(tmp_path, "calls: last", RULES))
    assert parser.feed("a <do f>1</do>") == [TextDelta("a ")]
    assert parser.feed(" b") == []
    events = parser.feed(" <do g>2</do>")
    texts = [event.text for event in events if isinstance(event, TextDelta)]
    assert ("".join(texts), len(texts)) == ("<do f>1</do> b ", len(events))
    assert isinstance(parser.close()[0], CallStart)


def test_only_one_call_can_be_written(tmp_path: Path) -> None:
    source = toolgrammar.formats.resolve(save(tmp_path, "calls: last", RULES))
    assert source.render([ToolCall("f", {}, input="1")]) == "<do f>1</do>"
    with pytest.raises(toolgrammar.RenderError):
        source.render([ToolCall("f", {}, input="1"), ToolCall("f", {}, input="2")])


@pytest.mark.parametrize(
    "text", ["```\nls\n```\n```bash\npwd", "```\nls\n```\nA\n```bash\npwd\n```"]
)
def test_a_call_of_another_format_behind_it_leaves_it_as_it_was_given_out(text: str) -> None:
    result = read("bash_fence,swe_agent", text)
    assert [(call.name, call.format) for call in result.calls] == [
        ("command", "swe_agent"),
        ("bash", "bash_fence"),
    ]

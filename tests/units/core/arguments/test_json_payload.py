"""`JSON_TEXT` is the input of a call; beside `arguments` it may hold them."""

import json
from pathlib import Path

import pytest

from tests.units.core.held import check, format_in, streamed
from toolgrammar import ToolCall
from toolgrammar.catalogue.format import Format

GRAMMAR = r"""//@ id: wired
%import .common.text (TEXT)
%import .common.json (JSON_OBJECT, JSON_STRING)
%declare JSON_TEXT

start: (TEXT | call)*

call: "<do>{" name ": " (arguments | input) "}</do>"
name: JSON_STRING
arguments: JSON_OBJECT
input: JSON_TEXT
"""
ALONE = GRAMMAR.replace("id: wired", "id: alone").replace("(arguments | input)", "input")
ALONE = ALONE.replace("arguments: JSON_OBJECT\n", "").replace("JSON_OBJECT, ", "")
LONE = [
    {
        "name": "f",
        "parameters": {
            "type": "object",
            "properties": {"q": {"type": "string"}},
            "required": ["q"],
        },
    }
]


@pytest.fixture
def wired(tmp_path: Path) -> Format:
    return format_in(tmp_path, GRAMMAR)


def call(payload: str) -> str:
    return f'a <do>{{"f": {payload}}}</do> b'


@pytest.mark.parametrize(
    "text", ["cats", "", 'a "b" \\ \n }</do> c', "\u00e9\U0001f600", "{no object", " [1] ", "5"]
)
@pytest.mark.parametrize("ascii_only", [False, True])
def test_a_string_is_the_input(wired: Format, text: str, *, ascii_only: bool) -> None:
    written = json.dumps(text, ensure_ascii=ascii_only)
    calls = [{"name": "f", "arguments": {}, "input": text}]
    check(wired, call(written), {"calls": calls, "status": ["complete"], "content": "a  b"})


def test_the_input_fills_the_one_text_parameter(wired: Format) -> None:
    calls = [{"name": "f", "arguments": {"q": "cats"}, "input": "cats"}]
    check(wired, call('"cats"'), {"calls": calls, "tools": LONE, "status": ["complete"]})


def test_a_string_that_holds_an_object_is_the_arguments(wired: Format) -> None:
    calls = [{"name": "f", "arguments": {"q": ["x"]}}]
    expected = {"calls": calls, "codes": ["decoded"], "tier": "malformed"}
    check(wired, call(json.dumps(' {"q": ["x"]}\n')), expected)
    check(wired, call('{"q": ["x"]}'), {"calls": calls, "codes": [], "status": ["complete"]})


def test_alone_it_is_text_whatever_it_holds(tmp_path: Path) -> None:
    text = '{"q": ["x"]}'
    calls = [{"name": "f", "arguments": {}, "input": text}]
    check(format_in(tmp_path, ALONE), call(json.dumps(text)), {"calls": calls, "codes": []})


def test_it_streams_unless_it_may_be_an_object(wired: Format) -> None:
    chunks: tuple[str, ...] = ('<do>{"f": "', "ca", "t\\", 'n"', "}</do>")
    assert streamed(wired, *chunks) == ["", "ca", "t", "\n", "{}"]
    chunks = ('<do>{"f": " {', "ca", 't"', "}</do>")
    assert streamed(wired, *chunks) == ["", "", " {cat", "{}"]
    chunks = ('<do>{"f": "{', '\\"q\\": 1', '}"', "}</do>")
    assert streamed(wired, *chunks) == ["", "", '{"q": 1}', ""]


@pytest.mark.parametrize(("written", "kept"), [('"cats an', "cats an"), ('"{\\"q', None)])
def test_what_is_cut_is_truncated(wired: Format, written: str, kept: str | None) -> None:
    calls: list[object] = [{"name": "f", "arguments": {}, "input": kept}]
    text = f'<do>{{"f": {written}'
    check(wired, text, {"calls": calls, "status": ["truncated"], "tier": "malformed"})


def test_a_raw_line_end_in_the_string_is_mended(wired: Format) -> None:
    calls = [{"name": "f", "arguments": {}, "input": "a\nb"}]
    expected = {"calls": calls, "codes": ["control"], "status": ["repaired"], "tier": "malformed"}
    check(wired, call('"a\nb"'), expected)


def test_render_writes_input_as_a_string(wired: Format) -> None:
    assert wired.render([ToolCall("f", {}, input='a "b"\n')]) == '<do>{"f": "a \\"b\\"\\n"}</do>'
    assert wired.render([ToolCall("f", {"q": "x"})]) == '<do>{"f": {"q": "x"}}</do>'

"""`names` and `keys` of a header: terminals that stand for a tool, and for an argument."""

from pathlib import Path

import pytest

import toolgrammar
from tests.units.core.held import check, format_in, streamed
from toolgrammar import GrammarError, RenderError, ToolCall
from toolgrammar.catalogue.format import Format

GRAMMAR = r"""//@ id: marked
//@ names: RUN=shell EDIT=edit
//@ keys: EDIT=path OLD=old NEW=new
//@ trim: input=one-newline value=one-newline
%import .common.text (TEXT, RAW)

start: (TEXT | call)*

call: RUN input "\n<end>"
    | EDIT OLD value "\n" NEW value "\n<end>"
input: RAW
value: RAW

RUN: "<run>\n"
EDIT: /<edit (?P<value>[\w.\/]+)>/
OLD: "<old>\n"
NEW: "<new>\n"
"""
ANY = r"""//@ id: one
//@ names: OPEN=*
%import .common.text (TEXT)
%import .common.json (JSON_OBJECT)

start: (TEXT | call)*

call: OPEN arguments "</>"
arguments: JSON_OBJECT

OPEN: "<@>"
"""
KNOWN = r"""//@ id: known
//@ names: FILE=save
//@ tools: save, run
%import .common.text (TEXT, RAW, TOOL)

start: (TEXT | call)*

call: "<<" (name | FILE) ":" input ">>"
name: TOOL
input: RAW

FILE: /(?P<value>\w+\.\w+)/
"""
ONE = [{"name": "save", "parameters": {"type": "object", "properties": {}}}]


@pytest.fixture
def marked(tmp_path: Path) -> Format:
    return format_in(tmp_path, GRAMMAR)


def test_the_terminal_is_the_name(marked: Format) -> None:
    text = "a <run>\nls -l\n<end> b <run>\n<old>\n<end>"
    calls = [
        {"name": "shell", "arguments": {}, "input": "ls -l"},
        {"name": "shell", "arguments": {}, "input": "<old>"},
    ]
    expected = {"calls": calls, "content": "a  b", "status": ["complete"] * 2, "codes": []}
    check(marked, text, expected)


def test_the_terminal_is_the_key_of_what_follows_or_stands_in_it(marked: Format) -> None:
    text = "<edit a/b.py><old>\nx\n<new>\n<old>\n<end>"
    calls = [{"name": "edit", "arguments": {"path": "a/b.py", "old": "x", "new": "<old>"}}]
    check(marked, text, {"calls": calls, "status": ["complete"], "codes": []})


def test_a_call_begins_with_its_payload(marked: Format) -> None:
    assert streamed(marked, "<run>", "\nl", "s", "\n<end>") == ["", "l", "s", "{}"]
    check(marked, "a <edit x> b <run", {"calls": [], "content": "a <edit x> b <run"})


@pytest.mark.parametrize(
    ("call", "written"),
    [
        (ToolCall("shell", {}, input="ls\n-l"), "<run>\nls\n-l\n<end>"),
        (
            ToolCall("edit", {"path": "a.py", "old": "x", "new": ""}),
            "<edit a.py><old>\nx\n<new>\n\n<end>",
        ),
    ],
)
def test_a_call_is_written_by_the_terminal_of_its_name(
    marked: Format, call: ToolCall, written: str
) -> None:
    assert marked.render([call]) == written


@pytest.mark.parametrize(
    "call",
    [
        ToolCall("other", {}, input="ls"),
        ToolCall("edit", {"path": "a b", "old": "x", "new": "y"}),
        ToolCall("edit", {"path": "a", "old": "x", "new": "y", "more": "z"}),
        ToolCall("edit", {"path": "a", "new": "y"}),
    ],
)
def test_what_has_no_terminal_is_not_written(marked: Format, call: ToolCall) -> None:
    with pytest.raises(RenderError):
        marked.render([call])


def test_a_star_is_the_one_tool_that_is_passed(tmp_path: Path) -> None:
    one = format_in(tmp_path, ANY)
    text = 'a <@>{"x": 1}</> b'
    calls = [{"name": "save", "arguments": {"x": 1}}]
    check(one, text, {"calls": calls, "tools": ONE, "content": "a  b", "status": ["complete"]})
    for tools in (None, [*ONE, {"name": "drop"}]):
        check(one, text, {"calls": [], "tools": tools, "content": text})
    assert one.render([ToolCall("save", {"x": 1})]) == '<@>{"x": 1}</>'


@pytest.mark.parametrize(("key", "line"), [("names", 2), ("keys", 3)])
def test_a_name_that_is_no_terminal_is_an_error(tmp_path: Path, key: str, line: int) -> None:
    grammar = GRAMMAR.replace(f"//@ {key}: ", f"//@ {key}: RUNN=x ")
    with pytest.raises(GrammarError) as caught:
        _ = format_in(tmp_path, grammar).tables
    error = caught.value
    assert (error.code, error.line) == (f"unread-{key}", line)
    assert (
        error.hint
        == f'nearest: `RUN`; `{key}` names terminals, which a rule uses: `NAME: "<text>"`'
    )


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ('quotes: "<q>"', "unread-quotes"),
        ('element: "@"', "unread-element"),
        ("quotes: :", "header"),
    ],
)
def test_a_header_line_that_nothing_reads_is_an_error(tmp_path: Path, line: str, code: str) -> None:
    grammar = GRAMMAR.replace("//@ trim", f"//@ {line}\n//@ trim")
    with pytest.raises(GrammarError) as caught:
        _ = format_in(tmp_path, grammar).tables
    assert caught.value.code == code


@pytest.mark.parametrize(
    ("tools", "names"),
    [(None, ["save", "run"]), (["save"], ["save"]), (["run"], ["run"]), (["go"], [])],
)
def test_beside_names_of_tools_a_terminal_needs_its_tool(
    tmp_path: Path, tools: list[str] | None, names: list[str]
) -> None:
    fmt = format_in(tmp_path, KNOWN)
    text = "<<a.py:x = 1>> <<run:ls>>"
    given = None if tools is None else [{"name": each} for each in tools]
    result = toolgrammar.parse(text, format=fmt, tools=given)
    assert [call.name for call in result.calls] == names

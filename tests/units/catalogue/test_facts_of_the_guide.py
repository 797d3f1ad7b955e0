"""docs/writing-a-format.md: what it says of closers, of writing and of pages is so."""

from pathlib import Path
from typing import Any, cast

import pytest

from tests.units.catalogue.test_writing_guide import GRAMMARS
from toolgrammar import ToolCall, load_format, parse
from toolgrammar.catalogue.page import read_page
from toolgrammar.grammar.compiling.compile import advice_on
from toolgrammar.testing import Case, laws

RAW = """\
//@ id: mine
//@ trim: input=strip
%import .common.text (TEXT, RAW)
start: (TEXT | call)*
call: OPEN name "\\n" input CLOSER
name: /\\w+/
input: RAW
OPEN: /^@@call (?=\\w)/m
END: /^@@end\\n?/m
"""
KEYS = """\
//@ id: mine
%import .common.text (TEXT)
start: (TEXT | call)*
call: "<call " name MARK ">" argument* "</call>"
name: /\\w+/
argument: key ":" value ";"
key: KEY
KEY: PATTERN
value: /[^;]+/
MARK: / #\\d+/
"""


def _saved(folder: Path, text: str) -> Path:
    path = folder / "mine.lark"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("closer", "behind", "wanted"),
    [
        ("END", "", [("a", "x", "truncated")]),
        ("[END]", "", [("a", "x", "complete")]),
        ("END", "@@call b\ny\n@@end", [("a", "x\n@@call b\ny", "complete")]),
        ("[END]", "@@call b\ny\n@@end", [("a", "x", "complete"), ("b", "y", "complete")]),
        ("END", "more\n@@end", [("a", "x\nmore", "complete")]),
        ("[END]", "more", [("a", "x\nmore", "complete")]),
    ],
)
def test_a_closer_after_raw(
    tmp_path: Path, closer: str, behind: str, wanted: list[tuple[str, str, str]]
) -> None:
    path = _saved(tmp_path, RAW.replace("CLOSER", closer))
    calls = parse(f"@@call a\nx\n{behind}", format=path).calls
    assert [(call.name, (call.input or "").strip(), call.status) for call in calls] == wanted


@pytest.mark.parametrize("pattern", ["/\\w+(?=:)/", "/\\w+(?=\\s*:.)/", "/\\w+/"])
def test_render_writes_keys_with_look_aheads_and_plain_markup(tmp_path: Path, pattern: str) -> None:
    entry = load_format(_saved(tmp_path, KEYS.replace("PATTERN", pattern)))
    assert entry.render([ToolCall("a", {"x": "1"})]) == "<call a #0>x:1;</call>"


@pytest.mark.parametrize(("more", "text"), [("", "x"), ("\n", "x\n")])
def test_the_text_of_an_example_has_no_line_end_at_its_end(
    tmp_path: Path, more: str, text: str
) -> None:
    page = tmp_path / "mine.md"
    fence = f"~~~text example\nx\n{more}~~~\n~~~json\n{{}}\n~~~\n"
    page.write_text(f"# Mine\n\n### One\n\n{fence}", encoding="utf-8")
    assert [example.text for example in read_page(page).examples] == [text]


AT_LINES = """\
//@ id: mine
%import .common.text (TEXT, RAW)
start: (TEXT | call)*
call: WAY
name: /\\w+/
OPEN: /^@call /m
"""


def _lines(old: str = "", new: str = "") -> str:
    text = GRAMMARS["bullets"].replace("id: bullets", "id: mine")
    assert old in text
    return text.replace(old, new) if old else text


LINES_TEXT = "@call search\n- query: green tea\n- limit: 3\n\n@call now\nAnd then."


@pytest.mark.parametrize("text", [LINES_TEXT, "@call now\n", "@call a\n- b: c\n", "@call now"])
@pytest.mark.parametrize("end", ["LINE_END", "[LINE_END]"])
def test_lines_keep_every_law(tmp_path: Path, text: str, end: str) -> None:
    grammar = load_format(_saved(tmp_path, _lines("value LINE_END", f"value {end}")))
    calls = parse(text, format=grammar).calls
    told = tuple({"name": call.name, "arguments": call.arguments} for call in calls)
    case = Case("lines", grammar, text, calls=cast("Any", told))
    for _, law in laws.laws_of(case):
        law(case)
    assert [call.name for call in calls] == {LINES_TEXT: ["search", "now"], "@call now": []}.get(
        text, [text.split()[1]]
    )


def test_a_line_end_that_may_stand_before_an_argument_is_noted(tmp_path: Path) -> None:
    assert not advice_on(_saved(tmp_path, _lines()))
    path = _saved(tmp_path, _lines("(?!\\s*- )"))
    [note] = advice_on(path)
    assert note.code == "blank-before-token"
    # It is read well all the same, since the dash goes before the line end.
    for text in (LINES_TEXT, "@call now\n\n- a: b\n"):
        laws.splits(Case("lines", load_format(path), text))
    [call] = parse("@call now\n\n- a: b\n", format=path).calls
    assert call.arguments == {"a": "b"}


@pytest.mark.parametrize(("key", "names"), [("/\\w+/", []), ("/(?<=[ \\t])\\w+/", ["now"])])
def test_a_word_takes_the_place_of_a_line_end(tmp_path: Path, key: str, names: list[str]) -> None:
    rules = f'argument: key "=" value\nkey: {key}\nvalue: /\\d+/\nEND: /\\n/\n'
    way = "OPEN name argument+ | OPEN name END"
    path = _saved(tmp_path, AT_LINES.replace("WAY", way) + rules)
    assert [call.name for call in parse("@call now\nAnd then.", format=path).calls] == names
    noted = [each.code for each in advice_on(path) if each.code != "unused"]
    assert noted == (["blank-before-token"] if not names else [])


@pytest.mark.parametrize(("line_end", "end"), [("/\\n/", 18), ("/(?<=[^\\n])\\n/", 15)])
def test_which_of_several_line_ends_closes(tmp_path: Path, line_end: str, end: int) -> None:
    path = _saved(tmp_path, _lines("LINE_END: /(?<=[^\\n])\\n/", f"LINE_END: {line_end}"))
    [call] = parse("@call a\n- b: c\n\n\n\nHi", format=path).calls
    assert call.span.end == end


@pytest.mark.parametrize(
    ("end", "reason", "status"),
    [
        ("LINE_END", None, "truncated"),
        ("[LINE_END]", None, "complete"),
        ("[LINE_END]", "stop", "complete"),
        ("LINE_END", "length", "truncated"),
        ("[LINE_END]", "length", "truncated"),
    ],
)
def test_the_end_of_the_text_in_lines(
    tmp_path: Path, end: str, reason: str | None, status: str
) -> None:
    path = _saved(tmp_path, _lines("value LINE_END", f"value {end}"))
    [call] = parse("@call a\n- b: c", format=path, finish_reason=reason).calls
    assert call.status == status
    [call] = parse("@call a\n- b: c\n", format=path, finish_reason=reason).calls
    assert call.status == ("truncated" if reason == "length" else "complete")


@pytest.mark.parametrize(
    ("way", "text", "arguments"),
    [
        ('"@call \\"" name "\\"" argument*', '@call "now"\nText.', [{}]),
        ("OPEN name argument*", "@call now\nText.", []),
        ("OPEN name argument*", "@call now", []),
        ("OPEN name argument*", "@call now q=1\nText.", [{"q": "1"}]),
        ("OPEN name arg*", "@call now q=1\nText.", []),
    ],
)
def test_a_visible_literal_makes_a_call_certain(
    tmp_path: Path, way: str, text: str, arguments: list[object]
) -> None:
    rules = (
        'argument: key "=" value\narg: key EQ value -> argument\nEQ: /=/\n'
        "key: /(?<=[ \\t])\\w+/\nvalue: /\\d+/\n"
    )
    path = _saved(tmp_path, AT_LINES.replace("WAY", way) + rules)
    assert [call.arguments for call in parse(text, format=path).calls] == arguments


@pytest.mark.parametrize(
    ("key", "behind"), [("/\\w+/", "then."), ("/(?<=[ \\t])\\w+/", "And then.")]
)
def test_white_space_between_tokens_is_free_in_lines(tmp_path: Path, key: str, behind: str) -> None:
    rules = f'argument: key "=" value\nkey: {key}\n%declare JSON_VALUE\nvalue: JSON_VALUE\n'
    path = _saved(tmp_path, AT_LINES.replace("WAY", "OPEN name argument*") + rules)
    assert parse('@call a b="c"\nAnd then.', format=path).text == behind


@pytest.mark.parametrize(
    ("argument", "pattern", "doubts"),
    [
        ('"<arg name=\\"" key "\\">" value', '<arg name="{}">', ("inner-argument",)),
        ('"<arg name=\\"" key "\\">" block', '<arg name="{}">', ()),
        ('"<arg:" key ">" value', "<arg:{}>", ()),
        ('"<args:" key ">" value', "<args:{}>", ("inner-argument",)),
    ],
)
def test_the_opener_of_the_next_argument_in_a_value(
    tmp_path: Path, argument: str, pattern: str, doubts: tuple[str, ...]
) -> None:
    rules = f'argument: {argument} "</a>"\nkey: /\\w+/\nvalue: RAW\nblock: RAW -> value\n'
    way = '"<call:" name ">" argument* "</call>"'
    path = _saved(tmp_path, AT_LINES.replace("WAY", way) + rules)
    text = f"<call:f>{pattern.format('b')}x{pattern.format('c')}y</a></call>"
    [call] = parse(text, format=path).calls
    assert (list(call.arguments), call.doubts) == (["b"], doubts)


def test_the_text_is_the_property_that_it_can_only_be(tmp_path: Path) -> None:
    path = _saved(
        tmp_path, AT_LINES.replace("WAY", '"<do " name ">" input "</do>"') + "input: RAW\n"
    )
    two = {"a": {"type": "string"}, "b": {"type": "string"}}
    for parameters, arguments, doubts in (
        ({"properties": {"a": {"type": "string"}}}, {"a": "x"}, ()),
        ({"properties": two, "required": ["b"]}, {"b": "x"}, ()),
        ({"properties": two}, {}, ("unplaced-input",)),
    ):
        tools = [{"name": "f", "parameters": {"type": "object", **parameters}}]
        [call] = parse("<do f>x</do>", format=path, tools=tools).calls
        assert (call.input, call.arguments, call.doubts) == ("x", arguments, doubts)

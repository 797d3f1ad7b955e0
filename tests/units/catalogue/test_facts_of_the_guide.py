"""docs/writing-a-format.md: what it says of closers, of writing and of pages is so."""

from pathlib import Path

import pytest

from toolgrammar import ToolCall, load_format, parse
from toolgrammar.catalogue.page import read_page

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

"""Heredocs: the word behind `<<` and the line of that word that ends the text."""

from pathlib import Path

import pytest

import toolgrammar
from tests.units.core.cuts import read, save
from toolgrammar import ToolCall
from toolgrammar.patterns.heredocs import mark_round

RULES = r"""
%import .common.text (TEXT, RAW, MARK, SAME_MARK)
start: (TEXT | call)*
call: "@@" name " <<" MARK NEWLINE input "\n" SAME_MARK
name: /[a-z]+/
input: RAW
NEWLINE: /[ \t]*\r?\n/
"""


@pytest.mark.parametrize(
    ("text", "input"),
    [
        ("@@run <<EOF\nls\nEOF", "ls"),
        ("@@run <<'END'\ncat <<EOF\na\nEOF\nEND\nAfter.", "cat <<EOF\na\nEOF"),
        ("@@run <<A\nB\nAB\n  A\nC", "B\nAB"),
        ("@@run <<A\nA", ""),
    ],
)
def test_a_text_ends_at_its_own_mark(tmp_path: Path, text: str, input: str) -> None:
    (call,) = read(save(tmp_path, "trim: input=one-newline", RULES), text).calls
    assert (call.name, call.input, call.status) == ("run", input, "complete")


def test_another_word_ends_nothing(tmp_path: Path) -> None:
    result = read(save(tmp_path, "trim: input=one-newline", RULES), "@@run <<A\nls\nB")
    assert [(call.input, call.status) for call in result.calls] == [("ls\nB", "truncated")]


@pytest.mark.parametrize("input", ["ls", "EOF", "EOF1\n EOF \nEOF2", ""])
def test_what_is_written_has_a_mark_that_no_line_is(tmp_path: Path, input: str) -> None:
    format = toolgrammar.load_format(save(tmp_path, "trim: input=one-newline", RULES))
    written = format.render([ToolCall("run", input=input)])
    assert f"<<{mark_round(input)}\n" in written
    assert [call.input for call in toolgrammar.parse(written, format).calls] == [input]
    assert format.tree(written).data == "call"

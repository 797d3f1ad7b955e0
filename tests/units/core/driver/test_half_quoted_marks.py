"""The mark of a heredoc with one quote is read as one with two: the call is repaired."""

from pathlib import Path

import pytest

from tests.units.core.held import check, format_in
from toolgrammar import parse
from toolgrammar.patterns.heredocs import quoted_alike

GRAMMAR = """//@ id: heredocs
//@ trim: input=one-newline
%import .common.text (TEXT, RAW, MARK, SAME_MARK)

start: (TEXT | call)*

call: "@@" name " <<" MARK "\\n" input "\\n" SAME_MARK
name: /\\w+/
input: RAW
"""


@pytest.mark.parametrize(
    ("mark", "whole"), [("'EOF", "'EOF'"), ("EOF'", "'EOF'"), ("\"EOF'", '"EOF"')]
)
def test_a_lost_quote_is_a_repair(tmp_path: Path, mark: str, whole: str) -> None:
    chosen = format_in(tmp_path, GRAMMAR)
    text = f"@@f <<{mark}\na b\nEOF\n"
    call = {"name": "f", "arguments": {}, "input": "a b"}
    check(chosen, text, {"calls": [call], "status": ["repaired"], "codes": ["misspelt"]})
    [found] = parse(text, chosen).diagnostics
    assert [edit.replacement for edit in found.edits] == [whole]
    assert parse(text, chosen, strict=True).calls == ()


@pytest.mark.parametrize("mark", ["EOF", "'EOF'", '"EOF"'])
def test_whole_marks_are_no_repair(tmp_path: Path, mark: str) -> None:
    assert quoted_alike(mark) == mark
    call = {"name": "f", "arguments": {}, "input": "a b"}
    expected = {"calls": [call], "status": ["complete"], "codes": []}
    check(format_in(tmp_path, GRAMMAR), f"@@f <<{mark}\na b\nEOF", expected)

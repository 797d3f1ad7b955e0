"""The trim modes that look at lines: one line end behind a payload, and indentation."""

import pytest

from toolgrammar.patterns.trim import INDENT, LINE, Trimmer


@pytest.mark.parametrize(
    ("text", "whole", "wanted"),
    [
        ("a", True, "a\n"),
        ("\n  a b \n\n", True, "a b\n"),
        ("a\n\nb\r\n", True, "a\n\nb\n"),
        ("a \n", False, "a"),
        (" \n ", True, ""),
        ("", True, ""),
    ],
)
def test_one_line_end_stands_behind(text: str, wanted: str, *, whole: bool) -> None:
    for size in (1, 2, 100):
        trimmer = Trimmer(LINE)
        pieces = [trimmer.feed(text[at : at + size]) for at in range(0, len(text), size)]
        assert "".join(pieces) + trimmer.finish(whole=whole) == wanted


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("  a\n  b\n", "a\nb"),
        ("  a\n    b\n\n c\n", "a\n  b\n\nc"),
        ("a\n  b", "a\n  b"),
        ("\t\tx\n\n", "x"),
        ("", ""),
    ],
)
@pytest.mark.parametrize("size", [1, 100])
def test_the_indentation_of_the_first_line_goes(text: str, wanted: str, size: int) -> None:
    trimmer = Trimmer(INDENT)
    pieces = [trimmer.feed(text[at : at + size]) for at in range(0, len(text), size)]
    assert "".join(pieces) + trimmer.finish() == wanted

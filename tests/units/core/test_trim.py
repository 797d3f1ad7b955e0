"""The trim mode that puts one line end behind a payload."""

import pytest

from toolgrammar.core.trim import LINE, Trimmer


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

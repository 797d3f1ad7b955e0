"""What the matches of an expression begin with."""

import re
import sys

import pytest

from toolgrammar.patterns.beginnings import (
    begins_blank,
    begins_indented,
    begins_line,
    first_characters,
    literal_start,
)


@pytest.mark.parametrize("letter", ["i", "K", "s", "a", "-", "1"])
def test_a_letter_of_any_case_lists_all_that_match_it(letter: str) -> None:
    expression = f"(?i:{letter})"
    everything = "".join(map(chr, range(sys.maxunicode + 1)))
    assert first_characters(expression) == frozenset(re.findall(expression, everything))


@pytest.mark.parametrize(
    ("pattern", "firsts"),
    [
        ("<a>|b", "<b"),
        ("a?b", "ab"),
        ("(?:a|b*)c", "abc"),
        ("(?m:^[ \t]*(?:A|B):)", " \tAB"),
        ("(?<=x)-", "-"),
        ("(?=q)[a-c]+", "abc"),
        ("(?>a)b", "a"),
        ("(?m:^`{3,})", "`"),
        ("[^a]", None),
        (r"\s*a", None),
        (".", None),
        ("(?i:a)b", "aA"),
        ("(?i)a|[-_]", "aA-_"),
        ("(?i)(?-i:a)", "a"),
        ("(?i:\u00e9)", None),
        ("a*", None),
        ("(?!)", None),
    ],
)
def test_first_characters(pattern: str, firsts: str | None) -> None:
    assert first_characters(pattern) == (None if firsts is None else frozenset(firsts))


@pytest.mark.parametrize(
    ("pattern", "begins"),
    [
        ("(?m:^a)", True),
        ("(?m:(?:^a)b)", True),
        ("(?m)^a", True),
        ("^a", False),
        ("(?m:^a|b)", False),
        ("(?m:^a|^b)|(?m:(?<=x)^)c", True),
        ("(?m:^a)|^b", False),
        ("(?m:a?^b)", False),
    ],
)
def test_begins_line(pattern: str, *, begins: bool) -> None:
    assert begins_line(pattern) is begins


@pytest.mark.parametrize(
    ("pattern", "start"),
    [("<tool>", "<tool>"), ("ab?", "a"), ("(?i:ab)", ""), ("(?i)ab", ""), ("^a", ""), ("a|b", "")],
)
def test_literal_start(pattern: str, start: str) -> None:
    assert literal_start(pattern) == start


@pytest.mark.parametrize("pattern", [r"(?m:^) {1,3}\w+(?=:)", r"(?m:^)(?: {4}|\t)x", r"(?m:^)x"])
def test_what_begins_a_line_may_be_indented(pattern: str) -> None:
    assert begins_indented(pattern)


@pytest.mark.parametrize("pattern", [r"(?m:^)\s*x", r"(?m:^) {2}(?:\r?\n)?x", r" {1,3}x"])
def test_blanks_that_may_end_a_line_are_no_indent(pattern: str) -> None:
    assert not begins_indented(pattern)


@pytest.mark.parametrize(
    ("pattern", "begins"),
    [
        (r"\s*a", True),
        ("(?:b| a)", True),
        (r"(?>\n)a", True),
        ("[^a]", True),
        (r"(?:b?)\ta", True),
        ("b a", False),
        (r"\S", False),
        (r"(?=\s)a", False),
    ],
)
def test_what_may_begin_with_white_space(pattern: str, begins: bool) -> None:  # noqa: FBT001
    assert begins_blank(pattern) == begins

"""What lies between two patterns is found without being made, as long as they agree."""

import re

import pytest

from toolgrammar.patterns.quick_search import BetweenPatterns

MADE: list[int] = []


def between(less: str, more: str, whole: str) -> BetweenPatterns:
    def make() -> re.Pattern[str]:
        MADE.append(1)
        return re.compile(whole)

    MADE.clear()
    return BetweenPatterns(lambda: re.compile(less), re.compile(more), make)


def test_nothing_is_made_where_both_agree() -> None:
    found = between("(b)|(!)", r"(b)|(\w)", "(b)|(x)")
    match = found.search("-b", 0)
    assert match is not None
    assert match.span() == (1, 2)
    assert found.search("--") is None
    assert found.match("--b", 1) is None
    assert not MADE


def test_the_pattern_is_made_once_where_they_do_not() -> None:
    found = between("(b)|(!)", r"(b)|(\w)", "(b)|(x)")
    match = found.search("axb")
    assert match is not None
    assert (match.span(), match.lastindex) == ((1, 2), 2)
    assert found.match("a") is None
    assert len(MADE) == 1


def test_what_else_a_pattern_has_is_that_of_the_pattern() -> None:
    assert between("a", "[ab]", "a|b").pattern == "a|b"


def test_a_pattern_that_is_used_much_is_made() -> None:
    found = between("b", "b", "b")
    for _ in range(2000):
        assert found.search("ab") is not None
    assert MADE


def test_what_all_three_have_needs_the_wider_one_alone() -> None:
    def none() -> re.Pattern[str]:
        raise AssertionError

    found = BetweenPatterns(none, re.compile(r"(?P<end>!)|(?P<name>\w)"), none, {"end"})
    match = found.search("-!", 0)
    assert match is not None
    assert match.lastgroup == "end"
    with pytest.raises(AssertionError):
        found.search("-x")

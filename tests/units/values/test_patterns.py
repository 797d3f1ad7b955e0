"""Patterns that are compiled when they are first used."""

import re

import pytest

from toolgrammar.values.patterns import anywhere, blanks, late

_PUBLIC = [name for name in dir(re.Pattern) if not name.startswith("_")]


def test_a_late_pattern_has_all_that_a_compiled_one_has() -> None:
    missing = [name for name in _PUBLIC if not hasattr(late("a"), name)]
    assert missing == ["scanner"]  # it is not documented


@pytest.mark.parametrize("name", sorted(set(_PUBLIC) - {"scanner"}))
def test_each_may_be_the_first_that_is_asked_for(name: str) -> None:
    found, wanted = (
        getattr(late("(?P<one>a)|b", re.IGNORECASE), name),
        re.compile("(?P<one>a)|b", re.IGNORECASE),
    )
    if callable(found):
        given = ("-", "xAb") if name.startswith("sub") else ("xAb",)
        assert str(found(*given))[:30] == str(getattr(wanted, name)(*given))[:30]
    else:
        assert found == getattr(wanted, name)


def test_it_is_compiled_once() -> None:
    pattern = late("a+")
    assert pattern.match == pattern.match


def test_a_wrong_expression_is_told_when_it_is_used() -> None:
    broken = late("(")
    with pytest.raises(re.error):
        broken.match("")


def test_a_name_that_no_pattern_has_is_told() -> None:
    with pytest.raises(AttributeError, match="a late pattern has no 'mtch'"):
        getattr(late("a"), "mtch")  # noqa: B009 - a name that does not exist


def test_what_matches_anywhere_says_where_it_ends() -> None:
    assert blanks.match("ab  c", 2).end() == 4
    assert blanks.match("ab", 1).end() == 1


def test_what_does_not_match_an_empty_text_is_none_of_them() -> None:
    words = anywhere(r"\w+")
    with pytest.raises(ValueError, match="does not match everywhere"):
        words.match("a")

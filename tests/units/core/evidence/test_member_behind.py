"""`core/evidence/member_behind.py`: whether an object that a bracket closed goes on behind it."""

import pytest

from toolgrammar.core.evidence.member_behind import (
    ends_too_early,
    goes_on,
    may_go_on,
)


@pytest.mark.parametrize(
    ("behind", "whole", "begun"),
    [
        ('city": "Oslo"}', True, True),
        ("city:", True, True),
        # What models write for a colon.
        ("city=", True, True),
        ("city : 5}", True, True),
        ("city = 5}", True, True),
        (", kind-of: 5}", True, True),
        (", $kind: 5}", False, False),
        ("city ", False, None),
        ("=5}", True, True),
        (', "city" = "Oslo"}', True, True),
        (', "city" => "Oslo"}', True, True),
        (', "city"\uff1a "Oslo"}', True, True),
        ('a"]', True, True),
        ('_id": 7}', True, True),
        ('²": 7}', True, True),
        ('2": 7}', False, False),
        ('city"', False, None),
        ("city", False, None),
        ('city" said', False, False),
        ("city is", False, False),
        # A word that does not touch the bracket is one of text.
        (" city: Oslo", False, False),
    ],
)
def test_the_bracket_may_stand_for_the_first_quote(
    behind: str, *, whole: bool, begun: bool | None
) -> None:
    assert goes_on(behind, lambda _: True, final=True) is whole
    assert goes_on(behind, lambda _: True, final=False) is begun
    # Where the server cut the text, what might have become a member is one.
    assert goes_on(behind, lambda _: True, final=True, is_cut=True) is (begun is not False)
    assert may_go_on("}" + behind, 1) is begun


@pytest.mark.parametrize("gap", [", ", ",", " ", ""])
def test_a_keyword_argument_goes_on_behind_a_bracket(gap: str) -> None:
    for text, goes in (('unit="K")', True), ("unit == 1", False)):
        assert ends_too_early(f"]{gap}{text}", 0, final=True, is_cut=True) is goes
    assert ends_too_early(f"]{gap}unit", 0, final=False, is_cut=False) is None
    assert ends_too_early(f"]{gap}unit", 0, final=True, is_cut=False) is False
    assert ends_too_early(f"]{gap}unit", 0, final=True, is_cut=True) is True


@pytest.mark.parametrize("blanks", ["", " ", "\n"])
def test_behind_a_bracket_alone_a_parenthesis_may_have_been_cut_and_no_member_has_begun(
    blanks: str,
) -> None:
    assert goes_on(blanks, lambda _: True, final=True, is_cut=True) is False
    assert ends_too_early(f"]{blanks}", 0, final=True, is_cut=True) is True
    assert ends_too_early(f"]{blanks}", 0, final=True, is_cut=False) is False


@pytest.mark.parametrize("bracket", ["]", "}"])
def test_a_parenthesis_that_closes_shows_that_the_bracket_before_it_is_early(bracket: str) -> None:
    for text in (")", " )]"):
        assert ends_too_early(f"{bracket}{text}", 0, final=False, is_cut=False) is True
    # Two parentheses are in order.
    assert ends_too_early("))", 0, final=True, is_cut=False) is False


@pytest.mark.parametrize(
    ("behind", "known", "unknown"),
    [
        (' Note: "a" is it.', True, False),
        ("; x = 1", True, False),
        (", note: 5", True, True),
        ("] note: 5", True, True),
        ('; "note": 5', True, True),
        (" Note: that is it.", False, False),
    ],
)
def test_prose_and_code_hold_words_like_keys(behind: str, *, known: bool, unknown: bool) -> None:
    assert goes_on(behind, lambda _: True, final=True) is known
    assert goes_on(behind, None, final=True) is unknown

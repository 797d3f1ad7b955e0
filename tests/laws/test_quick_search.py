"""Running through a text to what an expression begins with finds what searching for it finds."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

import toolgrammar
from tests.laws.damaged import touched
from tests.laws.every_case import cases, each_format, hold
from toolgrammar.core.payloads.raw import raw_end
from toolgrammar.patterns import quick_search
from toolgrammar.testing.depth import at_depth

if TYPE_CHECKING:
    from collections.abc import Iterable

    from toolgrammar.patterns.quick_search import Search
    from toolgrammar.testing import Case

_AWAY = "x" * 70
"""What stands before a message where no line begins with it."""


def seen(match: re.Match[str] | None) -> object:
    return match and (match.span(), match.lastgroup, match.groupdict())


def checked(quick: Search, pattern: re.Pattern[str]) -> Search:
    def find(text: str, start: int) -> re.Match[str] | None:
        found = quick(text, start)
        assert seen(found) == seen(pattern.search(text, start)), (pattern.pattern, text, start)
        return found

    return find


def compared(pattern: re.Pattern[str], alternatives: Iterable[str]) -> Search:
    return checked(quick_search.quick_search(pattern, alternatives), pattern)


def compared_behind(pattern: re.Pattern[str], solid: Search) -> Search:
    return checked(quick_search.behind_blanks(pattern, solid), pattern)


@each_format
def test_quick_search(format_id: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(quick_search, "_LONG", 0)
    monkeypatch.setattr(raw_end, "quick_search", compared)
    monkeypatch.setattr(raw_end, "behind_blanks", compared_behind)
    fresh = toolgrammar.load_format(toolgrammar.formats[format_id].path)

    def law(case: Case) -> None:
        text = case.text
        for each in (text, text * 3, f"{_AWAY}{text} \n \n{text}", *touched(text)):
            toolgrammar.parse(each, fresh, tools=case.tools, prefix=case.prefix)
            pieces = [each[at : at + 9] for at in range(0, len(each), 9)]
            list(toolgrammar.stream(pieces, fresh, tools=case.tools))

    hold(law, cases(format_id)[: at_depth(few=1, usual=None, every=None)])


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        (r"(?m:^)(?P<a>\w+):|(?m:^--)", "a b: c\nd: e\n-- f\n--"),
        (r"(?m:^a)|(?m:^)(?:b|c)", "ba\nca\r\na\nb"),
        (r"(?:\r?\n)END(?P<a>)|```(?P<b>)", "a\r\nEND\nEND\n``` `` ```\n\nEND"),
        (r"(?i:k|is)t(?P<a>)", "\u212at KT kt \u0131st I\u017ft ist \u0130st"),
        (r"(?<=\n)(?P<a>a)|b(?=c)(?P<b>)", "ab\nabc\nbbc"),
        (r"(?<!\w)[xy]+(?P<a>z)", "wxz xz yxz\nz"),
    ],
)
def test_what_begins_otherwise(expression: str, text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(quick_search, "_LONG", 0)
    pattern = re.compile(expression)
    find = compared(pattern, expression.split("|"))
    found = [seen(find(text, start)) for start in range(len(text) + 1)]
    assert any(found)
    quick = quick_search.quick_search(pattern, expression.split("|"))
    assert not isinstance(quick, type(pattern.search))


def test_blanks_before_what_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(quick_search, "_LONG", 0)
    pattern, solid = re.compile(r"(?:[\s]){0,64}</a>|\n(?P<b>b)"), re.compile(r"</a>|\n(?P<b>b)")
    find = compared_behind(pattern, compared(solid, solid.pattern.split("|")))
    for text in ("a \n </a>", " " * 200 + "</a>", "\nb \n\nb</a>", "a" * 9, " \n\n </b>\n b\nb"):
        for start in range(len(text) + 1):
            find(text, start)

"""Expressions that are looked for in a text cost no more than its length."""

import re
from pathlib import Path

import pytest

from toolgrammar import formats, parse
from toolgrammar.catalogue.format import Format
from toolgrammar.grammar.compiling.bounds import MOST_REPEATS, bounded, has_runaway
from toolgrammar.patterns.partial import MOST_BLANKS
from toolgrammar.testing import Case, laws

_GRAMMAR = """//@ id: tagged
//@ title: Calls in tags
%import .common.text (TEXT, RAW, NAME)

start: (TEXT | call)*
call: "<call>" name "<value>" value END "</call>"
name: NAME
value: RAW
"""


def _format(folder: Path, closer: str) -> Format:
    path = folder / "tagged.lark"
    path.write_text(f"{_GRAMMAR}END: /{closer}/\n", encoding="utf-8")
    return formats.resolve(path)


@pytest.mark.parametrize(
    ("pattern", "most"),
    [
        (r"\s*</a>", MOST_BLANKS),
        (r"[ \t]+#", MOST_BLANKS),
        (r"(?:x|\s*)y", MOST_BLANKS),
        (r"\A\s*\[", MOST_REPEATS),
        (r"(?m:^)[ \t]*x", MOST_REPEATS),
        (r"<a\s*>", MOST_REPEATS),
        (r"\w+:", MOST_REPEATS),
    ],
)
def test_a_repeat_gets_a_bound(pattern: str, most: int) -> None:
    written, length = bounded(pattern, {})
    assert f",{most}}}" in written
    assert length < len(written)


def test_what_has_a_bound_stays_as_it_is() -> None:
    written, length = bounded(r"(?P<word>a{2,3})b?", {"word": "t1_word"})
    match = re.fullmatch(written, "aab")
    assert match is not None
    assert match["t1_word"] == "aa"
    assert length == len(written)


@pytest.mark.parametrize(
    "pattern", [r"\w+:", r"(?:ab)*c", r"(?>a?)\w+:", r"x*\b", r"(?:y|\w+:)", r"\w{1,999}="]
)
def test_a_run_in_front_that_may_fail_runs_away(pattern: str) -> None:
    assert has_runaway(pattern)


@pytest.mark.parametrize(
    "pattern", [r"\w+", r"(?<!\w)\w+:", r"\b\w+:", r"(?m:^)\w+:", r"<\w+:", r"\s{0,64}x", r"\w+,?"]
)
def test_others_do_not(pattern: str) -> None:
    assert not has_runaway(pattern)


def test_the_law_tells_of_a_closer_that_runs_away(tmp_path: Path) -> None:
    case = Case(id="one", format=_format(tmp_path, r"\w+!"), text="<call>a<value>b!</call>")
    with pytest.raises(AssertionError, match="begin with a run of any length"):
        laws.linear(case)


def test_white_space_before_a_closer_may_be_longer_than_its_bound() -> None:
    blanks = " " * (MOST_BLANKS + 44)
    text = f'<function name="a"><param name="b">x{blanks}</param></function>'
    found = parse(text, format="minicpm5")
    assert [call.arguments for call in found.calls] == [{"b": "x" + " " * 44}]
    assert not found.diagnostics

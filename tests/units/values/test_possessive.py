"""Possessive repeats of groups mean the same on the Pythons that read them wrongly."""

import json
import re
import re._constants as sre
import re._parser as sre_parser
import subprocess
import sys
from collections.abc import Iterable
from typing import Any

import pytest

from tests.laws.every_case import ROOT
from toolgrammar.testing.depth import IS_SHORT
from toolgrammar.values.patterns import READS_POSSESSIVE_GROUPS
from toolgrammar.values.possessive import as_atomic


def _repeats(items: Iterable[tuple[Any, Any]]) -> list[Any]:
    """The possessive repeats of a parse tree that are not of one character."""
    found: list[Any] = []
    for operator, argument in items:
        parts = argument if isinstance(argument, tuple) else (argument,)
        inner = argument[1] if operator is sre.BRANCH else parts
        for each in inner:
            if isinstance(each, sre_parser.SubPattern):
                found += _repeats(each)
        one = (sre.LITERAL, sre.NOT_LITERAL, sre.IN, sre.ANY)
        if operator is sre.POSSESSIVE_REPEAT and (
            len(argument[2]) != 1 or argument[2][0][0] not in one
        ):
            found.append((operator, argument))
    return found


@pytest.mark.parametrize(
    ("expression", "text", "wanted"),
    [
        ("(?:ab?c)++", "aca", "ac"),
        ("(?:ab?c)?+x?", "ab", ""),
        ("(?:ab?c){0,3}+", "aca", "ac"),
        ("(?:ab?c){2}+", "acac", "acac"),
        (r"(?:\.[0-9]++)?+", ".x", ""),
        ("(?:,(?!a)b*+)*+", ",b,a", ",b"),
        ("(?:(?:ab)++,)*+", "ab,ab", "ab,"),
        ("(?P<one>ab?c)*+", "aca", "ac"),
        (r"[()]++(?:a\)b?\))*+", "((a))a)b", "((a))"),
        ("(?:[])]b?c)*+", ")c]", ")c"),
        (r"(?:\\.b?c)*+", r"\)c\)b", r"\)c"),
    ],
)
def test_the_matches_are_those_of_the_possessive_repeat(
    expression: str, text: str, wanted: str
) -> None:
    written = as_atomic(expression)
    assert not _repeats(sre_parser.parse(written))
    found = re.match(written, text)
    assert found is not None
    assert found[0] == wanted


def test_an_expression_without_any_stays_as_it_is() -> None:
    for expression in ("a++[bc]*+", r"(?:a|b)+\(\)++", "(a)?", r"[)]++", "(?:a){x}+"):
        assert as_atomic(expression) == expression


def _damaged(way: str) -> dict[str, list[Any]]:
    done = subprocess.run(
        [sys.executable, "-m", "tests.units.values.read_damaged", way],
        cwd=ROOT,
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    found: dict[str, list[Any]] = json.loads(done.stdout)
    return found


@pytest.mark.skipif(IS_SHORT, reason="reads every page twice: make laws")
def test_nothing_that_is_read_needs_the_possessive_repeat_of_a_group() -> None:
    found = _damaged("atomic")
    assert [each for each in found["asked"] if _repeats(sre_parser.parse(each))] == []
    if READS_POSSESSIVE_GROUPS:
        written = _damaged("as written")
        assert found["read"] == written["read"]
        assert sum(bool(_repeats(sre_parser.parse(each))) for each in written["asked"]) > 10

"""The trees of regular expressions are the same on each Python."""

from __future__ import annotations

import re._constants as sre
import re._parser as sre_parser
from pathlib import Path
from typing import Any

import pytest

import toolgrammar
from toolgrammar.patterns.beginnings import first_characters
from toolgrammar.patterns.partial import normalised, partial
from toolgrammar.patterns.pattern_trees import parse_pattern

_PARSE = sre_parser.parse


def _as_from_3_13(items: list[Any]) -> None:
    """Writes what never matches with the operator that CPython has from 3.13 on."""
    for place, (operator, argument) in enumerate(items):
        if operator is sre.ASSERT_NOT and not list(argument[1]):
            items[place] = (sre.FAILURE, ())
        for each in argument if isinstance(argument, tuple) else ():
            for inner in each if isinstance(each, list) else [each]:
                if isinstance(inner, sre_parser.SubPattern):
                    _as_from_3_13(inner.data)


def _parse(pattern: str) -> Any:
    tree = _PARSE(pattern)
    _as_from_3_13(tree.data)
    return tree


@pytest.mark.parametrize(
    "pattern", ["(?!)", "a(?!)|bc", "(?:a(?P<x>b(?!)|cd))+", "(?=ab|(?!))", "(?>(?!)|ab)x?"]
)
def test_what_never_matches_is_read_alike(pattern: str, monkeypatch: pytest.MonkeyPatch) -> None:
    partial.cache_clear()
    monkeypatch.setattr(sre_parser, "parse", _PARSE)
    usual = (repr(list(parse_pattern(pattern))), partial(pattern), normalised(pattern, {}))
    firsts = first_characters(pattern)
    partial.cache_clear()
    monkeypatch.setattr(sre_parser, "parse", _parse)
    assert (repr(list(parse_pattern(pattern))), partial(pattern), normalised(pattern, {})) == usual
    assert first_characters(pattern) == firsts
    assert "FAILURE" not in usual[0]
    partial.cache_clear()


def test_every_expression_is_read_there() -> None:
    """Nothing but these modules asks the standard library for a tree."""
    package = Path(toolgrammar.__file__).parent
    found = {
        path.name
        for path in package.rglob("*.py")
        if "re._parser" in path.read_text(encoding="utf-8")
    }
    assert found <= {"exponential.py", "pattern_trees.py", "possessive.py"}

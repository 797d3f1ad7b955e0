"""Expressions with a loop that reads some text in two ways are told from those without."""

import pytest

import toolgrammar
from toolgrammar.patterns.exponential import is_exponential


@pytest.mark.parametrize(
    "pattern",
    [
        "(a+)+b", "(a|a)*b", r"(\w+\s?)*$", "(a|b|ab)*c", "(?:a?b?)*c", r'(?:[^"]+|\\.)*"',
        "(x+x+)+y", "(.*a){20}", "(?=(a+)+b)x", r"(\s*x\s*)*y", "(é|[^a])*b",
    ],
)  # fmt: skip
def test_exponential(pattern: str) -> None:
    assert is_exponential(pattern)


@pytest.mark.parametrize(
    "pattern",
    [
        "a+b", "(a+b)*c", "(a|ab)*c", r'(?:[^"\\]|\\.)*"', "(?>a+)+b", "(?:a++)+b", r"(?:\s*x)*y",
        r"([a-z0-9]+\.)*x", "(a{0,5}){0,5}b", "(", r"(?:(?!</a>)[\s\S])*", r"(\w)\1+",
    ],
)  # fmt: skip
def test_not_exponential(pattern: str) -> None:
    assert not is_exponential(pattern)


def test_no_format_has_one() -> None:
    found = [
        (format_id, terminal.name)
        for format_id, format_ in toolgrammar.formats.items()
        for terminal in format_.tables.terminals
        if is_exponential(terminal.pattern)
    ]
    assert found == []

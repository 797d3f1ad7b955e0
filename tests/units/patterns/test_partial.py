"""`patterns/partial.py`: the beginnings of a pattern's matches, as one regular expression."""

import re
from pathlib import Path

import pytest

from toolgrammar import Parser, load_format
from toolgrammar.patterns.partial import (
    UnstreamableError,
    least_width,
    looks_on,
    normalised,
    partial,
    without_look_around,
)
from toolgrammar.values.events import CallStart

# A pattern, the texts that may still become a match (or a longer or none), and those that may not.
BEGINNINGS = [
    ("<call>", ["<", "<c", "<call"], ["<call>", "x", "<x"]),
    ("ab|cd", ["a", "c"], ["ab", "cd", "b"]),
    (r"\w+", ["a", "ab"], ["-", "a-"]),
    ("(?m:end$)", ["e", "en", "end"], ["endx", "end\n"]),
    ("end$", ["e", "end", "end\n"], ["end\n\n", "endx"]),
    (r"end\Z", ["en", "end"], ["end\n", "endx"]),
    (r"end\b", ["en", "end"], ["end-", "endx"]),
    (r"end\B", ["en", "end"], ["endx", "end-"]),
    ("(?m:(?:end|stop)$)", ["end", "stop"], ["ends", "stop\n"]),
    ("(?m:a(?:b$|c))", ["a", "ab"], ["ac", "ab\n"]),
    ("(?m:a$\nb)", ["a", "a\n"], ["a\nb", "ab"]),
    ("end(?!ing)", ["end", "endi", "endin"], ["ends", "ending"]),
    (r"^\w", [], ["a"]),
    ("end(?P<mark>)", ["en"], ["end"]),
    ("end(?P<mark>)(?!x)", ["en", "end"], ["endy"]),
]


@pytest.mark.parametrize(
    ("pattern", "held", "free"), BEGINNINGS, ids=[row[0] for row in BEGINNINGS]
)
def test_beginnings(pattern: str, held: list[str], free: list[str]) -> None:
    beginnings = re.compile(rf"(?:{partial(pattern) or '(?!)'})\Z")
    assert [text for text in held if not beginnings.match(text)] == []
    assert [text for text in free if beginnings.match(text)] == []


def test_beginnings_of_a_long_literal_nest_so_little_that_they_compile() -> None:
    literal = "<" + "x" * 2000
    beginnings = re.compile(rf"(?:{partial(literal)})\Z")
    assert beginnings.match(literal[:-1])
    assert beginnings.match(literal) is None


@pytest.mark.parametrize("pattern", [r"(a)\1", "(?P<x>a)(?P=x)", "(a)?(?(1)b|c)"])
def test_what_no_stream_can_read_is_refused(pattern: str) -> None:
    with pytest.raises(UnstreamableError) as caught:
        partial(pattern)
    assert caught.value.hint


@pytest.mark.parametrize(
    ("pattern", "wanted"),
    [
        ("end", False),
        (r"^\w+(?<=x)", False),
        (r"\$", False),
        ("(?m:end$)", True),
        (r"(?:a|b\b)", True),
        ("(?:end(?!x))?y", True),
        (r"end\Z", True),
    ],
)
def test_whether_a_match_looks_on(pattern: str, *, wanted: bool) -> None:
    assert looks_on(pattern) is wanted


@pytest.mark.parametrize(("pattern", "least"), [("a*", 0), ("(?=a)", 0), ("a|bc", 1), ("a$", 1)])
def test_least_width(pattern: str, least: int) -> None:
    assert least_width(pattern) == least


@pytest.mark.parametrize(
    ("names", "wanted"),
    [({"x": "one"}, {"one": "a"}), ({}, {}), ({"x": "p", "y": "q"}, {"p": "a", "q": "b"})],
)
def test_only_the_named_groups_capture(names: dict[str, str], wanted: dict[str, str]) -> None:
    match = re.match(normalised("(?P<x>a)(?P<y>b)(c)", names), "abc")
    assert match is not None
    assert match.groupdict() == wanted


GRAMMAR = r"""//@ id: lines
%import .common.text (TEXT)
%import .common.json (JSON_OBJECT)

start: (TEXT | call)*

call: OPEN name GO arguments
OPEN: /^call /m
name: /[\w-]+?(?=:)/
GO: /:go$/m
arguments: JSON_OBJECT
"""


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("call tide:go\n{}", ["tide"]),
        ("call tide:gone\n{}", []),
        ("call tide:go {}", []),
        ("call tide:go\n\n{} and", ["tide"]),
    ],
)
def test_a_line_end_is_waited_for(tmp_path: Path, text: str, names: list[str]) -> None:
    path = tmp_path / "lines.lark"
    path.write_text(GRAMMAR, encoding="utf-8")
    lines = load_format(path)
    results = set()
    for at in range(len(text) + 1):
        parser = Parser(lines)
        events = [*parser.feed(text[:at]), *parser.feed(text[at:]), *parser.close()]
        started = [event.name for event in events if isinstance(event, CallStart)]
        results.add((tuple(started), parser.result.text))
    assert len(results) == 1
    assert list(results.pop()[0]) == names


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        (r"\w+(?=: | ---)", r"(?:[\w]){1,}"),
        (r"(?m:^a(?=b))", "(?m:^a)"),
        (r"(?:a|b)(?=>[^`])(?!c)", "(?:a|b)"),
        (r"(?=a)a", "(?=a)a"),
        (r"a(?<=a)", "a(?<=a)"),
        (r"(?P<name>x)(?!\w)", "x"),
    ],
)
def test_look_aheads_at_the_end_are_taken_off(pattern: str, expected: str) -> None:
    for text in ("a", "b", "x", "aa", "word"):
        found = re.fullmatch(without_look_around(pattern), text) is not None
        assert found is (re.fullmatch(expected, text) is not None)

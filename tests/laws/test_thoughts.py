"""A call behind a damaged label is lost in the thought before it, and that is told.

`Thought: go\\nActoin: f\\nAction Input: {}\\nFinal Answer: 5` has no label that ends the thought.
"""

import re
from functools import cache
from typing import NamedTuple

import pytest

from tests.laws.every_case import each_format, every_page_case
from toolgrammar import Parser, ParseResult, parse
from toolgrammar.testing import Case

WORD = re.compile(r"[A-Za-z]{4,}")
WAYS = ("alone", "list", "auto")


class Damaged(NamedTuple):
    """An example whose thought only the opener of a call ends, with two letters of it swapped."""

    case: Case
    text: str
    calls: int


@cache
def damaged(format_id: str) -> tuple[Damaged, ...]:
    found = []
    for case in every_page_case(format_id):
        if not (case.calls and case.reasoning):
            continue
        read = parse(case.text, format_id, tools=case.tools, prefix=case.prefix)
        if not (read.calls and read.reasoning and read.ok):
            continue
        start = read.calls[0].span.start
        word = WORD.search(case.text, start)
        if word is None or not case.text[:start].rstrip().endswith(read.reasoning):
            continue
        at = word.start() + 1
        before, swapped, behind = case.text[:at], case.text[at : at + 2][::-1], case.text[at + 2 :]
        if before + swapped + behind != case.text:
            found.append(Damaged(case, before + swapped + behind, len(read.calls)))
    return tuple(found)


WITH_THOUGHTS = (
    "dspy_react", "muse", "react", "react_llamaindex", "semantic_kernel_stepwise", "smolagents_code",
    "smolagents_json",
)  # fmt: skip
"""The formats with such examples: each process would look for them before the first test."""


def streamed(text: str, format: str | list[str], case: Case) -> ParseResult:
    parser = Parser(format, tools=case.tools, prefix=case.prefix)
    for character in text:
        parser.feed(character)
    parser.close()
    return parser.result


@each_format
def test_formats_with_such_examples_are_known(format_id: str) -> None:
    assert bool(damaged(format_id)) == (format_id in WITH_THOUGHTS)


@pytest.mark.parametrize("format_id", WITH_THOUGHTS)
@pytest.mark.parametrize("way", WAYS)
def test_a_lost_call_in_a_thought_is_told(format_id: str, way: str) -> None:
    wanted = ["hermes", format_id] if way == "list" else "auto" if way == "auto" else format_id
    for case, text, calls in damaged(format_id):
        result = parse(text, wanted, tools=case.tools, prefix=case.prefix)
        is_lost = len(result.calls) < calls
        codes = [each.code for each in result.diagnostics if each.severity == "error"]
        assert codes == (["unread-call"] if is_lost else []), text
        assert streamed(text, wanted, case) == result


@pytest.mark.parametrize("prefix", ["", "Thought:", "Thought: I"])
def test_it_is_told_where_it_stands(prefix: str) -> None:
    """A prefix may have begun the thought: places count from the first character of the text."""
    text = f'{"" if prefix else "Thought:"} go\nActoin: search\nAction Input: {{"q": 1}}\nFinal Answer: 5'
    result = parse(text, format="react", prefix=prefix)
    (told,) = result.diagnostics
    assert (told.code, result.calls, result.ok) == ("unread-call", (), False)
    assert "in reasoning" in told.message
    assert text[told.span.start : told.span.end] == "Action Input"


@pytest.mark.parametrize("label", ["Action Input", "Action Input 1"])
def test_a_label_with_a_number_is_used_as_one_without(label: str) -> None:
    result = parse(f'Thought: x\nAtcion: search\n{label}: "paris"', format="react")
    assert (result.calls, result.ok) == ((), False)


@pytest.mark.parametrize("wanted", ["react", ["hermes", "react"], "auto"])
def test_a_thought_may_name_a_label(wanted: str | list[str]) -> None:
    text = 'Thought: I write "Action: search" next.\nAction: search\nAction Input: {"q": 1}'
    result = parse(text, format=wanted)
    assert (len(result.calls), result.ok) == (1, True)

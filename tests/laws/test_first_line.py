"""In `auto` a line of words before calls of given tools changes none of them.

`Ok` above an object is no name of a tool, and `Thought: I need it.` begins a thought that has no
closer in any format, so calls end it, whatever format they are written in.
"""

from functools import cache

import pytest

import toolgrammar
from tests.laws.every_case import FORMAT_IDS, each_format, every_page_case
from toolgrammar import ParseResult
from toolgrammar.testing import Case
from toolgrammar.testing.depth import at_depth

_EXAMPLES = at_depth(few=1, usual=2, every=8)
WITHOUT = ("muse",)
"""The formats without such an example."""
Deed = tuple[str, str, str, bool]


@cache
def alone(format_id: str) -> list[tuple[Case, list[Deed]]]:
    """Returns examples with nothing but calls of given tools, and what `auto` reads in them.

    Without those that go on in a line, or in reasoning, which the prompt began.
    """
    found: list[tuple[Case, list[Deed]]] = []
    for case in every_page_case(format_id):
        if not case.calls or case.prefix or not case.tools or case.text.startswith((" ", "</")):
            continue
        result = toolgrammar.parse(case.text, tools=case.tools)
        names = {tool.name for tool in case.tools}
        runs = [call.executable and call.name in names for call in result.calls]
        if len(runs) == len(case.calls) and all(runs) and not result.text + result.reasoning:
            found.append((case, deeds(result)))
        if len(found) == _EXAMPLES:
            break
    return found


def read(case: Case, line: str) -> ParseResult:
    return toolgrammar.parse(f"{line}\n{case.text}", tools=case.tools)


def deeds(result: ParseResult) -> list[Deed]:
    """Returns what would run, without the places in the text."""
    return [
        (call.name, repr(call.arguments), call.input or "", call.executable)
        for call in result.calls
    ]


@each_format
def test_a_word_changes_no_call(format_id: str) -> None:
    assert bool(alone(format_id)) == (format_id not in WITHOUT)
    for case, wanted in alone(format_id):
        for line in ("Ok", "json", "functions"):
            assert deeds(read(case, line)) == wanted, f"{line}: {case.id}"


@pytest.mark.parametrize("format_id", [each for each in FORMAT_IDS if each not in WITHOUT])
def test_a_thought_ends_before_calls(format_id: str) -> None:
    """At least one example of each format; what is not read, as its markup ends thoughts, is told."""
    same = 0
    for case, wanted in alone(format_id):
        result = read(case, "Thought: I need it.")
        if deeds(result) == wanted:
            assert result.reasoning == "I need it.", case.id
            same += 1
        else:
            assert not result.ok, case.id
            assert not any(call.executable for call in result.calls), case.id
    assert same

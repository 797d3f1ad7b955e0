"""The joined argument deltas of each call are its arguments.

The examples of the pages keep this law as tests of their own: see `toolgrammar.testing.plugin`.
"""

from tests.laws.every_case import (
    each_format,
    each_format_with_rows,
    hold,
    page_cases,
    row_cases,
)
from toolgrammar import ArgumentsDelta, Parser
from toolgrammar.parsing.parser import DrivenParser
from toolgrammar.testing import Case, laws
from toolgrammar.testing.depth import at_depth
from toolgrammar.values.events import Event

EACH = at_depth(few=1, usual=4, every=1000)
"""Examples of a page that are read one character at a time, with and without shortcuts."""
TAIL = 24
"""Characters that a shortcut holds back longer: a number with its key, which may go on."""


@each_format_with_rows
def test_deltas(format_id: str) -> None:
    hold(laws.deltas, row_cases(format_id))


@each_format
def test_no_shortcut_gives_out_later_than_the_driver(format_id: str) -> None:
    hold(_as_early_as_the_driver, page_cases(format_id)[:EACH])


def _as_early_as_the_driver(case: Case) -> None:
    """What a stream has emitted of values, at each character, is what the driver has, or more."""
    parser = Parser(case.format, tools=case.tools, prefix=case.prefix)
    driver = DrivenParser(case.format, tools=case.tools, prefix=case.prefix)
    found = wanted = 0
    for place, character in enumerate(case.text):
        found += _size(parser.feed(character))
        wanted += _size(driver.feed(character))
        assert found >= wanted - TAIL, (case.id, case.text[: place + 1], found, wanted)


def _size(events: list[Event]) -> int:
    """Returns how much of arguments events emit."""
    return sum(len(each.json) for each in events if isinstance(each, ArgumentsDelta))

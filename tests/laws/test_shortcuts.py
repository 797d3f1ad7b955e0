"""Each shortcut gives what the driver gives, on sound and on damaged texts, and reads its share.

The driver, in turn, reads sound calls as plain Lark does.
"""

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

import pytest

from tests.laws.damaged import damaged_cases, touched
from tests.laws.every_case import FORMAT_IDS, cases, each_format, hold, page_cases
from tests.laws.shortcuts import SHORTCUTS, behind, read_by, recorded
from tests.laws.stretched import stretched_cases
from toolgrammar.testing import Case
from toolgrammar.testing.depth import IS_SHORT, some_of

QUICK = "streamed"
"""What is counted over all of a page even where few are wanted, for every third format."""

each_shortcut = pytest.mark.parametrize("name", SHORTCUTS)


@each_shortcut
@each_format
def test_each_shortcut_reads_what_the_driver_reads(format_id: str, name: str) -> None:
    hold(SHORTCUTS[name], some_of(list(texts(name, format_id))))


@each_format
def test_what_was_learned_of_a_call_says_nothing_of_what_stands_behind_it(format_id: str) -> None:
    hold(behind, some_of(list(cases(format_id, malformed=False)))[: 4 if IS_SHORT else None])


@pytest.mark.parametrize(
    ("format_id", "name"),
    # The others take too long for each time.
    [(each, QUICK) for each in FORMAT_IDS[::3]]
    if IS_SHORT
    else [(each, name) for each in FORMAT_IDS for name in SHORTCUTS],
)
def test_each_shortcut_reads_its_share(format_id: str, name: str) -> None:
    """One that gives up on everything would keep the law above."""
    assert format_id in recorded(), "a new format: `python -m tests.laws.shortcuts` records it"
    count, least = read_by(name, format_id), recorded()[format_id][name]
    if name == "several":
        least = (least + 1) // 2  # what it knows of a format depends on what it read before
    assert count >= least, (
        f"{name} reads {count} examples of the page of {format_id}, and read {least}; where that is "
        "meant, `python -m tests.laws.shortcuts` writes the record anew"
    )


def texts(name: str, format_id: str) -> Iterator[Case]:
    """Yields the texts that a shortcut is tried on."""
    yield from page_cases(format_id)
    if IS_SHORT and name == QUICK:
        return
    if name == "reference":
        yield from cases(format_id, malformed=False)
        return
    yield from damaged_cases(format_id)
    yield from stretched_cases(format_id)
    if name == "several":
        # What was learned of one message is used for the next, whose text may go on otherwise.
        for first, second in pairwise(page_cases(format_id)):
            yield replace(first, id="two texts", text=f"{first.text}\n{second.text}")
    else:
        yield from cases(format_id)
        for case in cases(format_id):
            for text in touched(case.text):
                yield replace(case, id=f"{case.id}, touched", text=text)

"""Every cutting of a text gives the same result and the same joined events.

The examples of the pages keep this law as tests of their own: see `toolgrammar.testing.plugin`.
"""

import random
import re
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

import toolgrammar
from tests.laws.drawn import hostile_texts
from tests.laws.every_case import (
    cases,
    each_format,
    each_format_with_rows,
    hold,
    row_cases,
)
from toolgrammar.testing import Case, laws
from toolgrammar.testing.depth import at_depth
from toolgrammar.testing.growing import shapes_of
from toolgrammar.testing.readings import places, read, seen

_BLANKS = (" " * 1030, "\n" * 1100, " " * 5000)
_BLANK_PLACES = at_depth(few=2, usual=6, every=6)
_BEGUN = at_depth(few=4, usual=16, every=16)
_TOKEN = re.compile(r"(?<=\W)\S|(?<=\w)\W")


@each_format_with_rows
def test_splits(format_id: str) -> None:
    hold(laws.splits, row_cases(format_id))


@each_format
@settings(max_examples=at_depth(few=3, usual=8, every=8))
@given(data=st.data())
def test_splits_of_hostile_texts(format_id: str, data: st.DataObject) -> None:
    text = data.draw(hostile_texts(format_id))
    case = Case("drawn", format_id, text, tools=cases(format_id)[0].tools)
    laws.splits(case)
    laws.tiling(case)
    laws.deltas(case)


@each_format
def test_splits_of_long_blanks(format_id: str) -> None:
    """White space longer than any token, before each of some tokens of the shortest example."""
    whole = [case for case in cases(format_id) if case.calls and not case.prefix]
    case = min(whole, key=lambda each: len(each.text))
    tokens = [found.start() for found in _TOKEN.finditer(case.text)]
    for number, at in enumerate(places(len(tokens), _BLANK_PLACES)):
        place, run = tokens[at], _BLANKS[number % len(_BLANKS)]
        long = replace(case, text=case.text[:place] + run + case.text[place:])
        wanted = seen(read(long, [long.text]))
        for cut in (place + 700, place + len(run) - 3):
            assert seen(read(long, [long.text[:cut], long.text[cut:]])) == wanted, long
        pieces = [long.text[start : start + 97] for start in range(0, len(long.text), 97)]
        assert seen(read(long, pieces)) == wanted, long


@each_format
def test_splits_of_begun_literals(format_id: str) -> None:
    """The beginning of a literal at the end of a text, wherever that is cut off."""
    sample, _ = shapes_of(format_id, 0)
    assert sample is not None, "a format whose page has no whole call"
    found = (each.text.strip() for each in toolgrammar.formats[format_id].tables.terminals)
    literals = sorted({each for each in found if len(each) > 1}) or ["<x"]
    draw = random.Random(format_id)
    for _ in range(_BEGUN):
        end = draw.randrange(1, sample.call.span.end)
        literal = draw.choice(literals)
        text = sample.text[:end] + literal[: draw.randrange(1, len(literal))]
        case = Case("begun", format_id, text, tools=sample.tools)
        assert seen(read(case, list(text))) == seen(read(case, [text])), case

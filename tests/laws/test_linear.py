"""The work for a text grows as its length does; counted in steps, never timed."""

import os

from tests.laws.every_case import cases, each_format, hold
from toolgrammar.testing import laws
from toolgrammar.testing.growing import shapes_of, work_of

CASES = 8 if os.environ.get("TOOLGRAMMAR_EVERY_SPLIT") else 3
"""Cases a format; the variable makes it the long run."""
SHAPES = None if os.environ.get("TOOLGRAMMAR_EVERY_SPLIT") else 8
"""Hostile texts a format; the variable makes it all of them."""
SIZE, TIMES, GROWTH = 2048, 4, 6
"""Characters of a hostile text, how often as many, and how much more work that may be."""
CHUNK = 16


@each_format
def test_linear(format_id: str) -> None:
    hold(laws.linear, cases(format_id)[:CASES])


@each_format
def test_hostile_texts_are_linear(format_id: str) -> None:
    sample, shapes = shapes_of(format_id, SHAPES)
    found = {}
    for number, shape in enumerate(shapes):
        assert sample is not None
        wanted = [format_id] if number % 2 else format_id
        short, long = (
            work_of(wanted, sample.tools, shape.text(n), CHUNK) for n in (SIZE, SIZE * TIMES)
        )
        if long > short * GROWTH:
            found[shape.place, shape.repeated, str(wanted)] = (short, long)
    assert found == {}

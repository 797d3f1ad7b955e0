"""Schemas that an author of tools may write: what fits them is what JSON Schema says, and laws hold.

`python -m fuzz.schemas` draws many more.
"""

import random

import pytest

from fuzz.schemas import draw_arguments, draw_schema, misjudged, misread
from tests.laws.every_case import SHOWN_FAILURES
from toolgrammar.testing.depth import at_depth
from toolgrammar.tools.fits import fits
from toolgrammar.values.schemas import resolved

_BLOCK = 50
BLOCKS = at_depth(few=1, usual=6, every=100)
EACH = at_depth(few=2, usual=16, every=400)


@pytest.mark.parametrize("block", range(BLOCKS))
def test_arguments_are_judged_as_json_schema_does(block: int) -> None:
    wrong = [
        each
        for seed in range(block * _BLOCK, (block + 1) * _BLOCK)
        for each in misjudged(random.Random(f"laws {seed}"))
    ]
    assert not wrong, wrong[:SHOWN_FAILURES]


@pytest.mark.parametrize("seed", range(EACH))
def test_arguments_of_a_drawn_schema_keep_the_laws(seed: int) -> None:
    wrong = [*misread(random.Random(f"laws {seed}"))]
    assert not wrong, wrong[:SHOWN_FAILURES]


def test_the_arguments_are_of_both_kinds() -> None:
    said = []
    for seed in range(_BLOCK):
        draw = random.Random(f"laws {seed}")
        schema = draw_schema(draw)
        said.append(fits(draw_arguments(draw, schema), resolved(schema)))
    assert 0.3 < sum(said) / len(said) < 0.95

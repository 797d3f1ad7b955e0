"""Attacks on readers and writers hold nothing: no call runs that nobody meant.

`make fuzz` makes many more; each is drawn from a seed.
"""

import random

import pytest

from fuzz.attacks import ATTACKS
from tests.laws.every_case import SHOWN_FAILURES, each_format
from toolgrammar import formats
from toolgrammar.testing.depth import at_depth, if_quick

EACH = if_quick(1, at_depth(few=2, usual=8, every=400))
"""Attempts of each attack on each format."""


@each_format
@pytest.mark.parametrize(
    "attack", ["payload", "rendered", "mixed", "moved", "borders", "options", "native", "apis"]
)
def test_an_attack(format_id: str, attack: str) -> None:
    draws = (random.Random(f"{attack} {format_id} {attempt}") for attempt in range(EACH))
    broken = [found for draw in draws if (found := ATTACKS[attack](format_id, draw)).broke]
    assert not broken, broken[:SHOWN_FAILURES]


@pytest.mark.heavy
@pytest.mark.parametrize(("attack", "texts"), [("across", 100), ("crossed", 300)])
def test_what_two_formats_make_of_a_text_runs_in_one_of_so_many_at_most(
    attack: str, texts: int
) -> None:
    # A few openers are a symbol or a fence alone: damaged, they are no sign of a call any more. Of a
    # closer that another format interrupts, one bracket may be left.
    found = [
        ATTACKS[attack](format_id, random.Random(f"{attack} {format_id} {attempt}"))
        for format_id in sorted(formats)
        for attempt in range(EACH)
    ]
    made = [each for each in found if each.text]
    broken = [each for each in made if each.broke]
    assert len(broken) * texts <= len(made), broken[:SHOWN_FAILURES]
    assert len(made) > len(formats)

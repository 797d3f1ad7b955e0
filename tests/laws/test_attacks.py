"""Attacks on readers and writers hold nothing: no call runs that nobody meant.

`make fuzz` makes many more; each is drawn from a seed.
"""

import random

import pytest

from fuzz.attacks import ATTACKS
from tests.laws.every_case import SHOWN_FAILURES, each_format
from toolgrammar.testing.depth import at_depth

EACH = at_depth(few=2, usual=8, every=400)
"""Attempts of each attack on each format."""


@each_format
@pytest.mark.parametrize("attack", ["payload", "rendered", "mixed"])
def test_an_attack(format_id: str, attack: str) -> None:
    draws = (random.Random(f"{attack} {format_id} {attempt}") for attempt in range(EACH))
    broken = [found for draw in draws if (found := ATTACKS[attack](format_id, draw)).broke]
    assert not broken, broken[:SHOWN_FAILURES]

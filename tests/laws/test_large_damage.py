"""Damage to lines, calls and messages seldom changes a call; a text that shows calls runs none.

`python -m fuzz.large_damage` shows the formats and the kinds of damage one by one.
"""

from collections import Counter

import pytest

import toolgrammar
from fuzz.large_damage import DAMAGES, SHOWN, measure
from toolgrammar.testing.depth import at_depth, if_quick

EACH = at_depth(few=1, usual=3, every=40)
"""Texts of each kind for each format."""
STRIDE = at_depth(few=3, usual=1, every=1)
"""Of so many kinds a format gets one: each kind is tried on another third of the formats."""
MOST = 0.025
"""The share of damaged texts in which a call runs that nobody wrote; it only shrinks."""
MOST_SHOWN = 0.005
"""The share of texts that show calls in which one runs; it only shrinks."""

FORMATS = sorted(toolgrammar.formats)[:: if_quick(6, 1)]
"""A share of what changes is only one of all formats: that test is heavy."""


def _shares(kinds: tuple[str, ...]) -> tuple[int, float]:
    """Returns how many texts of some kinds were read, and in which share of them a call changed."""
    counts: Counter[str] = Counter()
    for number, format_id in enumerate(FORMATS):
        for _, what, _ in measure(format_id, kinds[number % STRIDE :: STRIDE], EACH):
            counts.update(["texts", what])
    return counts["texts"], counts["changed"] / counts["texts"]


@pytest.mark.heavy
def test_large_damage_seldom_changes_a_call() -> None:
    texts, changed = _shares(tuple(DAMAGES))
    assert texts > EACH * len(FORMATS) * len(DAMAGES) / STRIDE / 2
    assert changed <= MOST


def test_a_text_that_shows_calls_runs_none_of_them() -> None:
    texts, changed = _shares(tuple(SHOWN))
    assert texts > EACH * len(FORMATS) * len(SHOWN) / STRIDE / 2
    assert changed <= MOST_SHOWN

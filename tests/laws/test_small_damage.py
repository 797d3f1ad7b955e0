"""Small damage to markup seldom changes a call, or loses one, without a word.

`python -m fuzz.small_damage` shows the formats one by one.
"""

from collections import Counter

import pytest

import toolgrammar
from fuzz.small_damage import measure
from toolgrammar.testing.depth import at_depth

EACH = at_depth(few=12, usual=12, every=300)
"""Damaged texts of each format: with fewer, one unlucky text more decides."""
MOST = 0.01
"""The share of texts in which a call runs that nobody wrote; it only shrinks."""
MOST_LOST = 0.01
"""The share of texts that have fewer calls than were written, and no error; it only shrinks."""


MOST_LOST_OF_ANY = 0.02
"""The same where nobody says the format: a call is found by its tool, which not all texts name."""


@pytest.mark.heavy
@pytest.mark.parametrize(("is_auto", "most_lost"), [(False, MOST_LOST), (True, MOST_LOST_OF_ANY)])
def test_small_damage_seldom_changes_a_call_or_loses_one(
    *, is_auto: bool, most_lost: float
) -> None:
    counts: Counter[str] = Counter()
    for format_id in toolgrammar.formats:
        counts += measure(format_id, EACH, is_auto=is_auto)[0]
    assert counts["texts"] > EACH * len(toolgrammar.formats) / 2
    assert counts["changed"] <= MOST * counts["texts"]
    assert counts["lost"] <= most_lost * counts["texts"]

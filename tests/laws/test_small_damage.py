"""Small damage seldom changes a call without a word.

`python -m fuzz.small_damage` shows the formats one by one.
"""

import os
from collections import Counter

import toolgrammar
from fuzz.small_damage import measure

EACH = 300 if os.environ.get("TOOLGRAMMAR_EVERY_SPLIT") else 12
"""Damaged texts of each format; the variable makes it the long run."""
MOST = 0.05
"""The share of texts in which a call runs that nobody wrote; it only shrinks."""


def test_small_damage_seldom_changes_a_call() -> None:
    counts: Counter[str] = Counter()
    for format_id in toolgrammar.formats:
        counts += measure(format_id, EACH)[0]
    assert counts["texts"] > EACH * len(toolgrammar.formats) / 2
    assert counts["changed"] <= MOST * counts["texts"]

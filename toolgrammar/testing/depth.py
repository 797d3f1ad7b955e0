"""Defines how much the laws try: a few cases in every run, or all of them.

The environment variable `TOOLGRAMMAR_LAWS` selects one:

- `quick`: as `few`, and less where a law takes long (`make test`);
- `few`: some cases of each format and some cuts of each, always the same ones (`.ci/run`);
- `usual`, and where nothing is said: every case, cut at some places (`make laws`);
- `every`: every case, cut everywhere, and many drawn ones (`make evening`).
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final, TypeVar

if TYPE_CHECKING:
    from collections.abc import Sequence

_LEVELS: Final = ("quick", "few", "usual", "every")
_FEW: Final = 3
"""Cases of a format that a law is held over where few are wanted."""

Amount = TypeVar("Amount")
Each = TypeVar("Each")

LEVEL: Final = os.environ.get("TOOLGRAMMAR_LAWS") or "usual"
# A misspelt level would silently test less.
if LEVEL not in _LEVELS:
    raise ValueError(f"TOOLGRAMMAR_LAWS must be one of {', '.join(_LEVELS)}, got {LEVEL!r}")
IS_SHORT: Final = LEVEL in ("quick", "few")
"""Whether a law leaves cases out."""


def at_depth(few: Amount, usual: Amount, every: Amount) -> Amount:
    """Returns the amount that belongs to the depth of this run; the quick one has `few`, too."""
    return (few, few, usual, every)[_LEVELS.index(LEVEL)]


def if_quick(quick: Amount, other: Amount) -> Amount:
    """Returns the amount of the quick run, or that of any other."""
    return quick if LEVEL == "quick" else other


def some_of(found: Sequence[Each]) -> list[Each]:
    """Returns all that was found; where few are wanted, the first, the last and one between.

    Pages begin with the plainest example and end with the most damaged one: spread over the page,
    a few are of every kind. `some_of([1, 2, 3, 4, 5])` gives `[1, 3, 5]`.
    """
    if not IS_SHORT or len(found) <= _FEW:
        return list(found)
    # Evenly spread, with both ends.
    last = len(found) - 1
    return [found[round(last * step / (_FEW - 1))] for step in range(_FEW)]

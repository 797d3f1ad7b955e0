"""Defines figures with their 95 % intervals, and ranks that respect the intervals.

Of formats with 3 to 5, 4 to 6 and 8 to 9 per cent the first two share rank 1, and the last has rank 3.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from toolgrammar.scoring.intervals import Sums, ratio, wilson

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence


class Figure(NamedTuple):
    """A figure and the interval in which it lies."""

    value: float
    """The value that was measured."""
    low: float
    """The lower end of the interval."""
    high: float
    """The upper end."""

    def times(self, factor: float, more: float = 0.0) -> Figure:
        """Returns the figure and its interval multiplied, and moved."""
        return Figure(*(end * factor + more for end in self))


def share(pairs: Iterable[tuple[int, int]]) -> Figure | None:
    """Returns the share of hits among all; each message gives a pair of both numbers."""
    sums = Sums()
    for hits, of in pairs:
        sums.add(hits, of)
    if not sums.of:
        return None
    value = sums.hits / sums.of
    # Not `sums.of`: several draws from one message tend to succeed or fail together.
    return Figure(value, *wilson(value, sums.effective))


def quotient(
    pairs: Iterable[tuple[float, float]], shapes: Sequence[str] | None = None
) -> Figure | None:
    """Returns the sum of the first over the sum of the second numbers; each message gives a pair.

    With the shapes of the messages, the interval is computed for a fixed number of each shape.
    """
    found = ratio(list(pairs), shapes)
    return None if found is None else Figure(*found)


def mean(values: Iterable[float], shapes: Sequence[str] | None = None) -> Figure | None:
    """Returns the mean; each message gives a value."""
    return quotient(((value, 1) for value in values), shapes)


def ranks(figures: Mapping[str, Figure], *, least_first: bool = True) -> dict[str, int]:
    """Returns the ranks: a rank is one more than the number of names that are certainly better."""
    signed = {name: each if least_first else each.times(-1) for name, each in figures.items()}
    # Multiplying by -1 has swapped the ends.
    ends = {
        name: (min(each.low, each.high), max(each.low, each.high)) for name, each in signed.items()
    }
    return {
        # Overlapping intervals share a rank: another seed could change which of the two is first.
        name: 1 + sum(other_high < low for _, other_high in ends.values())
        for name, (low, _) in ends.items()
    }

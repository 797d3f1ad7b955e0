"""Computes intervals: Wilson's for a share, also of clustered items, and one for ratios.

8 of 10 messages: 0.49 to 0.94. Of 20 calls that stand in 10 messages, those of one message succeed
and fail together, so they tell less than 20 calls drawn one by one: the interval is that of the
number of independent calls which would vary as much (Rao and Scott's effective sample size). It
needs no seed: the same rows give the same interval.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

Z = 1.959963984540054
"""The quantile of 95 %: this share of a normal distribution is within Z standard deviations."""


@dataclass(slots=True)
class Sums:
    """The sums for one share over the messages, each of which has `hits` of `of` items."""

    hits: int = 0
    of: int = 0
    messages: int = 0
    """The messages that have any items; these are the clusters."""
    hits_squared: int = 0
    hits_of: int = 0
    of_squared: int = 0

    def add(self, hits: int, of: int) -> None:
        """Adds a message; one without items changes nothing."""
        if of:
            self.hits += hits
            self.of += of
            self.messages += 1
            self.hits_squared += hits * hits
            self.hits_of += hits * of
            self.of_squared += of * of

    @property
    def effective(self) -> float:
        """The effective sample size: how many independent items would vary as much as these."""
        # One item per message: each is a cluster of its own.
        if self.of_squared == self.of:
            return self.of
        share = self.hits / self.of
        # The variance of a ratio over clusters, linearised.
        spread = self.hits_squared - 2 * share * self.hits_of + share * share * self.of_squared
        # If no or all items count, nothing varies: only the clusters are known to be independent.
        if self.messages < 2 or spread <= 0 or self.hits in (0, self.of):
            return self.messages
        variance = spread * self.messages / (self.messages - 1) / self.of**2
        # Bounded by the number of items, so that the interval is never narrower than a plain one.
        return min(self.of, share * (1 - share) / variance)


def wilson(share: float, number: float) -> tuple[float, float]:
    """Returns the lower and the upper end of the 95 % interval of a share.

    Args:
        share: the observed share.
        number: the number of independent items; 0 gives the whole range.
    """
    if number <= 0:
        return 0.0, 1.0
    squared = Z * Z
    middle = share + squared / (2 * number)
    half = Z * sqrt(share * (1 - share) / number + squared / (4 * number * number))
    scale = 1 + squared / number
    return max(0.0, (middle - half) / scale), min(1.0, (middle + half) / scale)


def ratio(
    pairs: Sequence[tuple[float, float]], strata: Sequence[str] | None = None
) -> tuple[float, float, float] | None:
    """Returns the ratio of two sums and its 95 % interval, or None if there is nothing.

    Each message gives a pair, as its tokens in two formats: 30 of 20, 45 of 30. The mean of values
    is such a ratio, with ones. The interval is that of a ratio over clusters, linearised as in
    `Sums`, with Student's quantile instead of `Z`, since messages may be few.

    Args:
        pairs: a pair for each message.
        strata: for each message its kind, where it is given how many of each kind there are: then
            only what varies inside of a kind makes the ratio uncertain.
    """
    below = sum(of for _, of in pairs)
    if below == 0:
        return None
    value = sum(of for of, _ in pairs) / below
    kinds: dict[str, list[float]] = {}
    for (over, under), kind in zip(pairs, strata or [""] * len(pairs), strict=True):
        kinds.setdefault(kind, []).append(over - value * under)
    # The variance of a kind with a single message is not known: these messages form one kind.
    alone = [rest[0] for rest in kinds.values() if len(rest) == 1]
    several = [rest for rest in (*kinds.values(), alone) if len(rest) > 1]
    degrees = sum(len(rest) - 1 for rest in several)
    if not degrees:
        return value, float("-inf"), float("inf")
    squares = 0.0
    for rest in several:
        middle = sum(rest) / len(rest)
        squares += sum((each - middle) ** 2 for each in rest) * len(rest) / (len(rest) - 1)
    half = _student(degrees) * sqrt(squares) / abs(below)
    return value, value - half, value + half


def _student(degrees: int) -> float:
    """Returns Student's quantile that belongs to `Z`, by two terms of Cornish and Fisher's series."""
    first = (Z**3 + Z) / 4
    second = (5 * Z**5 + 16 * Z**3 + 3 * Z) / 96
    return Z + first / degrees + second / degrees**2

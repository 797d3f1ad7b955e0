"""Computes intervals: Wilson's for a share, also of clustered items, and one for ratios.

8 of 10 messages: 0.49 to 0.94. Of 20 calls that stand in 10 messages, those of one message succeed
and fail together, so they tell less than 20 calls drawn one by one: the interval is that of the
number of independent calls which would vary as much (Rao and Scott's effective sample size). It
needs no seed: the same rows give the same interval.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, sqrt
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

Z = 1.959963984540054
"""The quantile of 95 %: this share of a normal distribution is within Z standard deviations."""

_STUDENT: Final = (
    12.7062, 4.3027, 3.1824, 2.7764, 2.5706, 2.4469, 2.3646, 2.3060, 2.2622, 2.2281,
    2.2010, 2.1788, 2.1604, 2.1448, 2.1314, 2.1199, 2.1098, 2.1009, 2.0930, 2.0860,
    2.0796, 2.0739, 2.0687, 2.0639, 2.0595, 2.0555, 2.0518, 2.0484, 2.0452, 2.0423,
)  # fmt: skip
"""Student's quantiles of 95 %, both sides together, for 1 to 30 degrees of freedom."""


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
        # If no or all items count, nothing varies: only the clusters are known to be independent.
        if self.messages < 2 or self.hits in (0, self.of):
            return self.messages
        # A few hits tell as little of how they cluster as none: one of 1,000 items in 10 messages
        # would count as 999 items, and none as 10. So the design effect is also that with four more
        # messages of the mean size, two of hits alone and two without any, which matter the less the
        # more hits there are (with fewer, one hit still looks better than none). Simulated with 10 to 300 messages of 3 to 100 items, shares of 0.3
        # to 30 % and any correlation, the intervals then hold the share at least as often as Wilson's
        # of independent messages do (89 %, mostly 95 %); without them only 73 % do at the worst.
        size = self.of / self.messages
        more = _independent(
            self.hits + 2 * size,
            self.of + 4 * size,
            self.messages + 4,
            self.hits_squared + 2 * size**2,
            self.hits_of + 2 * size**2,
            self.of_squared + 4 * size**2,
        )
        seen = _independent(
            self.hits, self.of, self.messages, self.hits_squared, self.hits_of, self.of_squared
        )
        # Bounded by the number of items, so that the interval is never narrower than a plain one.
        return min(self.of, seen, more * self.of / (self.of + 4 * size))


def _independent(
    hits: float, of: float, messages: int, hits_squared: float, hits_of: float, of_squared: float
) -> float:
    """Returns how many independent items would vary as much; infinity if nothing varies."""
    share = hits / of
    # The variance of a ratio over clusters, linearised.
    spread = hits_squared - 2 * share * hits_of + share * share * of_squared
    # Rounding may leave a little where all messages have the same share.
    if spread <= 1e-9 * of_squared * share:
        return inf
    variance = spread * messages / (messages - 1) / of**2
    return share * (1 - share) / variance


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
        return value, -inf, inf
    squares = 0.0
    for rest in several:
        middle = sum(rest) / len(rest)
        squares += sum((each - middle) ** 2 for each in rest) * len(rest) / (len(rest) - 1)
    half = _student(degrees) * sqrt(squares) / abs(below)
    return value, value - half, value + half


def _student(degrees: int) -> float:
    """Returns Student's quantile that belongs to `Z`, for any number of degrees of freedom."""
    if degrees <= len(_STUDENT):
        return _STUDENT[degrees - 1]
    # Two terms of Cornish and Fisher's series, which are exact to four digits from here on.
    first = (Z**3 + Z) / 4
    second = (5 * Z**5 + 16 * Z**3 + 3 * Z) / 96
    return Z + first / degrees + second / degrees**2

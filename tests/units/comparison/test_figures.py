"""Figures lie in their intervals, and ranks say no more than these."""

import random

from hypothesis import given
from hypothesis import strategies as some

from toolgrammar.comparison.figures import Figure, mean, quotient, ranks, share

PAIRS = some.lists(
    some.tuples(some.integers(0, 9), some.integers(1, 9)).map(lambda each: (min(each), each[1]))
)


@given(PAIRS)
def test_a_figure_lies_in_its_interval(pairs: list[tuple[int, int]]) -> None:
    for found in (share(pairs), quotient(pairs)):
        if found is None:
            assert not pairs
        else:
            assert found.low <= found.value + 1e-12
            assert found.value <= found.high + 1e-12


def test_intervals_hold_the_mean_as_often_as_they_say() -> None:
    """Of 400 samples of 15 values, 95 % of the intervals have the true mean, give or take."""
    draw = random.Random(5)
    held = 0
    for _ in range(400):
        found = mean(draw.gauss(3, 2) for _ in range(15))
        assert found is not None
        held += found.low <= 3 <= found.high
    assert 0.92 <= held / 400 <= 0.98


def test_ranks_of_those_that_overlap_are_the_same() -> None:
    figures = {
        "a": Figure(4, 3, 5),
        "b": Figure(5, 4, 6),
        "c": Figure(8.5, 8, 9),
        "d": Figure(9, 8.5, 12),
    }
    assert ranks(figures) == {"a": 1, "b": 1, "c": 3, "d": 3}
    assert ranks(figures, least_first=False) == {"d": 1, "c": 1, "b": 3, "a": 3}

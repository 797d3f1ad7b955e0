"""Wilson's interval, plain and of clusters."""

import random
from math import gamma, pi, sqrt

import pytest

from toolgrammar.scoring.intervals import Sums, _student, ratio, wilson


@pytest.mark.parametrize(
    ("hits", "of", "low", "high"),
    [  # Newcombe (1998), Statistics in Medicine 17, 857-872, table I, method 3
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_published_examples(hits: int, of: int, low: float, high: float) -> None:
    assert wilson(hits / of, of) == pytest.approx((low, high), abs=5e-5)


def test_nothing_is_known_of_nothing() -> None:
    assert wilson(0.0, 0) == (0.0, 1.0)


def _sums(*pairs: tuple[int, int]) -> Sums:
    sums = Sums()
    for pair in pairs:
        sums.add(*pair)
    return sums


def test_messages_count_one_by_one() -> None:
    assert _sums((1, 1), (0, 1), (1, 1), (0, 0)).effective == 3


def test_calls_that_fail_together_count_as_their_messages() -> None:
    sums = _sums(*[(4, 4)] * 10, *[(0, 4)] * 10)
    assert sums.of == 80
    assert sums.effective == pytest.approx(19)  # twenty messages, less the one of the mean


def test_all_or_none_count_as_their_messages() -> None:
    assert _sums((4, 4), (2, 2)).effective == 2
    assert _sums((0, 4), (0, 2)).effective == 2


def _high(hits: list[int], of: int) -> float:
    sums = _sums(*[(each, of) for each in hits])
    return wilson(sums.hits / sums.of, sums.effective)[1]


@pytest.mark.parametrize(("messages", "of"), [(2, 2), (10, 100), (40, 3), (100, 9)])
def test_none_look_no_worse_than_some(messages: int, of: int) -> None:
    none = _high([0] * messages, of)
    for first in ([1], [1, 1], [of]):
        assert none < _high([*first, *[0] * (messages - len(first))], of)


def test_many_hits_alike_in_all_messages_count_as_many_items() -> None:
    """Where all messages have the same share, nothing clusters."""
    sums = _sums(*[(2, 4)] * 200)
    assert sums.effective > 0.9 * sums.of


@pytest.mark.parametrize(("share", "alike"), [(0.01, 0.2), (0.05, 0.6), (0.3, 0.0)])
def test_the_interval_of_few_messages_covers(share: float, alike: float) -> None:
    """Of ten messages with a hundred calls each, whose calls are more or less alike."""
    drawn = random.Random(7)
    covered = 0
    for _ in range(200):
        sums = Sums()
        for _ in range(10):
            own = share
            if alike:
                weight = 1 / alike - 1
                own = drawn.betavariate(share * weight, (1 - share) * weight)
            sums.add(sum(drawn.random() < own for _ in range(100)), 100)
        low, high = wilson(sums.hits / sums.of, sums.effective)
        covered += low <= share <= high
    assert covered >= 0.94 * 200


def test_the_interval_covers_what_is_so() -> None:
    """Of messages whose calls succeed together, 95 % of the intervals hold the share."""
    drawn = random.Random(7)
    covered = plain = 0
    for _ in range(400):
        sums = Sums()
        for _ in range(60):
            of = drawn.randint(1, 6)
            sums.add(of if drawn.random() < 0.7 else 0, of)
        share = sums.hits / sums.of
        low, high = wilson(share, sums.effective)
        covered += low <= 0.7 <= high
        low, high = wilson(share, sums.of)
        plain += low <= 0.7 <= high
    assert covered >= 0.92 * 400
    assert plain < 0.85 * 400  # what the interval of independent calls would promise wrongly


def test_a_ratio_has_students_interval() -> None:
    """Of five values the mean and its interval by the t-distribution, from any table."""
    found = ratio([(value, 1) for value in (1, 2, 3, 4, 5)])
    # 3 +- 2.776 * sqrt(2.5 / 5), of four degrees of freedom.
    assert found == pytest.approx((3, 3 - 1.963, 3 + 1.963), rel=0.04)


@pytest.mark.parametrize(
    ("values", "half"),
    [
        ((1, 3), 12.706),
        ((1, 2, 3), 4.3027 / 3**0.5),
        ((1, 2, 2, 3), 3.1824 / 6**0.5),
    ],
)
def test_few_messages_have_the_exact_quantile(values: tuple[float, ...], half: float) -> None:
    found = ratio([(value, 1) for value in values])
    assert found == pytest.approx((2, 2 - half, 2 + half), abs=1e-3)


@pytest.mark.parametrize("degrees", [1, 2, 7, 30, 31, 60])
def test_students_quantile_bounds_95_per_cent(degrees: int) -> None:
    """The density of Student's distribution, summed from minus to plus the quantile."""
    factor = gamma((degrees + 1) / 2) / (sqrt(degrees * pi) * gamma(degrees / 2))
    limit, steps = _student(degrees), 20_000
    places = ((step + 0.5) * limit / steps for step in range(steps))
    inside = sum((1 + place**2 / degrees) ** (-(degrees + 1) / 2) for place in places)
    assert 2 * factor * inside * limit / steps == pytest.approx(0.95, abs=1e-5)


def test_what_differs_between_kinds_is_not_uncertain() -> None:
    pairs = [(1.0, 1.0), (1.2, 1.0), (9.0, 1.0), (9.2, 1.0)]
    plain, parted = ratio(pairs), ratio(pairs, ["a", "a", "b", "b"])
    assert plain is not None
    assert parted is not None
    assert plain[0] == parted[0]
    assert parted[2] - parted[1] < (plain[2] - plain[1]) / 5


def test_one_message_says_nothing_about_others() -> None:
    assert ratio([(3, 2)]) == (1.5, float("-inf"), float("inf"))
    assert ratio([]) is None

"""Wilson's interval, plain and of clusters."""

import random

import pytest

from toolgrammar.scoring.intervals import Sums, ratio, wilson


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

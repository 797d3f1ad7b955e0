"""Limits are whole numbers or None."""

from typing import Any

import pytest

from toolgrammar.values.limits import Limits


def test_defaults() -> None:
    assert Limits() == Limits(16_000_000, 200, 100_000)
    assert Limits(max_chars=None).max_chars is None


@pytest.mark.parametrize(
    ("given", "error", "said"),
    [
        ("9", TypeError, "Limits.max_chars must be an int or None, got str"),
        (True, TypeError, "Limits.max_chars must be an int or None, got bool"),
        (-1, ValueError, "Limits.max_chars must not be negative, got -1"),
    ],
)
def test_refuses(given: Any, error: type[Exception], said: str) -> None:
    with pytest.raises(error, match=said):
        Limits(max_chars=given)

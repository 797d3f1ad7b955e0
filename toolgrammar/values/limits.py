"""Defines the limits on the length, the nesting and the number of calls of one message.

With `Limits(max_calls=1)` the second call of a message is text, and `limit-calls` is reported.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Final

DEEPEST: Final = 400
"""The most levels of nesting that are read, whatever `Limits.max_depth` is: a result that nests deeper
could not be compared, copied or written as JSON within Python's default limit on recursion, nor be
made in a program whose own stack is deep."""

MOST_LISTED: Final = 256
"""The number of diagnostics of one code that are listed one by one; the others are counted."""


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of one message; None means no limit.

    What is past a limit is text, and a diagnostic reports it. Nesting is always limited: see
    `max_depth`.
    """

    max_chars: int | None = 16_000_000
    """The most characters of the message."""
    max_depth: int | None = 200
    """The most levels of objects and arrays in one payload; None, and more than 400, mean 400."""
    max_calls: int | None = 100_000
    """The most calls of one message."""

    def __post_init__(self) -> None:
        for field in fields(self):
            limit = getattr(self, field.name)
            if limit is None:
                continue
            # `True` is an int in Python, but not a limit.
            if not isinstance(limit, int) or isinstance(limit, bool):
                got = type(limit).__name__
                raise TypeError(f"Limits.{field.name} must be an int or None, got {got}")
            if limit < 0:
                raise ValueError(f"Limits.{field.name} must not be negative, got {limit}")

    @property
    def depth(self) -> int:
        """The most levels of nesting in one payload: `max_depth`, but never more than 400."""
        # Nesting can't be unlimited: see `DEEPEST`.
        return DEEPEST if self.max_depth is None else min(self.max_depth, DEEPEST)

"""How much a parser reads before it gives up."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Final

DEEPEST: Final = 400
"""Levels of nesting that are read whatever the limit: a result that nests deeper could not be
compared, copied or written as JSON within Python's default limit on recursion, nor be made in a
program whose own stack is deep."""

MOST_LISTED: Final = 256
"""Diagnostics of one code that are listed one by one; the others are counted."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of one message; None is no limit. Past one the rest is text, with a diagnostic.

    Nesting alone has a bound of its own: see `max_depth`.
    """

    max_chars: int | None = 16_000_000
    """Characters of the message."""
    max_depth: int | None = 200
    """Objects and arrays inside each other in one payload; None, and more than 400, is 400."""
    max_calls: int | None = 100_000
    """Calls of one message."""

    def __post_init__(self) -> None:
        for field in fields(self):
            limit = getattr(self, field.name)
            if limit is None:
                continue
            # True is an int in Python, and no limit.
            if not isinstance(limit, int) or isinstance(limit, bool):
                got = type(limit).__name__
                raise TypeError(f"Limits.{field.name} must be an int or None, got {got}")
            if limit < 0:
                raise ValueError(f"Limits.{field.name} must not be negative, got {limit}")

    @property
    def depth(self) -> int:
        """How deep a payload may nest: `max_depth`, where that can be kept."""
        # No limit is not an option for depth: see `DEEPEST`.
        return DEEPEST if self.max_depth is None else min(self.max_depth, DEEPEST)

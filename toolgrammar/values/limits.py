"""How much a parser reads before it gives up."""

from __future__ import annotations

from dataclasses import dataclass, fields


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of one message; None is no limit. Past one the rest is text, with a diagnostic."""

    max_chars: int | None = 16_000_000
    """Characters of the message."""
    max_depth: int | None = 200
    """Objects and arrays inside each other in one payload."""
    max_calls: int | None = 100_000
    """Calls of one message."""

    def __post_init__(self) -> None:
        for field in fields(self):
            limit = getattr(self, field.name)
            if limit is None:
                continue
            if not isinstance(limit, int) or isinstance(limit, bool):
                got = type(limit).__name__
                raise TypeError(f"Limits.{field.name} must be an int or None, got {got}")
            if limit < 0:
                raise ValueError(f"Limits.{field.name} must not be negative, got {limit}")

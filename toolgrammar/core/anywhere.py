"""Makes matchers of patterns that match anywhere, be it nothing, so that nobody asks whether they did."""

from __future__ import annotations

import re
import sys
from typing import Protocol, cast


class Matcher(Protocol):
    """The `match` of a pattern that also matches nothing."""

    def __call__(self, string: str, pos: int = 0, endpos: int = sys.maxsize) -> re.Match[str]:
        """Matches at `pos`, and looks no further than `endpos`."""
        ...


def anywhere(pattern: str | re.Pattern[str]) -> Matcher:
    """Gives the matcher of a pattern.

    Raises:
        ValueError: the pattern does not match an empty text.
    """
    compiled = re.compile(pattern)
    if compiled.match("") is None:
        raise ValueError(
            f"{compiled.pattern!r} does not match everywhere: an empty text has no match"
        )
    return cast("Matcher", compiled.match)


blanks = anywhere(r"\s*")
"""Matches white space, or nothing."""

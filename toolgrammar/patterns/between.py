"""Finds what an expression finds without compiling it, as long as two others agree on it.

Example: one expression of calls knows no name of a tool, another takes any. Where both find the same
closer, an expression with the tools' own names would find it, too.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    import re
    from collections.abc import Callable

    Finder = Callable[..., re.Match[str] | None]

_PATIENCE: Final = 2000
"""Searches from which on the expression itself is worth its making: it takes one search, not two."""


class Between:
    """Finds what lies between two others: one finds less and one finds more, at every place.

    Where both find the same, it would be found, too; else what finds it is made, and asked.
    """

    def __init__(self, less: Finder, more: Finder, make: Callable[[], Finder]) -> None:
        """Takes what finds less, what finds more, and what makes the one in between."""
        self._less = less
        self._more = more
        self._make = make
        self._searches = 0
        self._whole: Finder | None = None

    def __call__(self, text: str, *place: int) -> re.Match[str] | None:
        """Finds the first match in a text, from an index on where one is given."""
        if self._whole is None:
            more = self._more(text, *place)
            # What finds more finds nothing: so would the one in between.
            if more is None:
                return None
            less = self._less(text, *place)
            self._searches += 1
            # The same place, the same groups, and by `lastindex` the same alternative.
            is_same = less is not None and (less.regs, less.lastindex) == (
                more.regs,
                more.lastindex,
            )
            if is_same and self._searches < _PATIENCE:
                return less
            self._whole = self._make()
        return self._whole(text, *place)


class BetweenPatterns:
    """Looks like the pattern that two others enclose, and is it once they do not agree."""

    def __init__(
        self, less: re.Pattern[str], more: re.Pattern[str], make: Callable[[], re.Pattern[str]]
    ) -> None:
        """Takes the pattern that matches less, the one that matches more, and what makes it."""
        self._make = make
        self.search = Between(less.search, more.search, lambda: self.whole.search)
        self.match = Between(less.match, more.match, lambda: self.whole.match)

    @cached_property
    def whole(self) -> re.Pattern[str]:
        """The pattern itself."""
        return self._make()

    # All but `search` and `match` (`fullmatch`, `pattern`, …) needs the pattern itself.
    def __getattr__(self, name: str) -> Any:
        return getattr(self.whole, name)

"""Searches with two expressions instead of one between them, which is compiled only if they differ.

Example: of two expressions of calls one contains no name of a tool, the other matches any name. An
expression with the tools' own names lies between them. It finds what the wider one finds by an
alternative without names, such as a closer, and what both find.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Container

    Finder = Callable[..., re.Match[str] | None]

_PATIENCE: Final = 2000
"""After so many searches the expression itself is compiled: it needs one search, not two."""


class Between:
    """Searches for an expression between two others, which match less and more at every place.

    If both find the same, so would the expression; otherwise it is made, and searched for.
    """

    def __init__(
        self,
        less: Callable[[], Finder],
        more: Finder,
        make: Callable[[], Finder],
        shared: Container[str | None] = (),
    ) -> None:
        """Makes a search.

        Args:
            less: makes the narrower search, which few texts need.
            more: the wider search.
            make: makes the search between them.
            shared: the groups of the alternatives that all three have.
        """
        self._less = less
        self._more = more
        self._make = make
        self._shared = shared
        self._searches = 0
        self._whole: Finder | None = None

    def __call__(self, text: str, *place: int) -> re.Match[str] | None:
        """Returns the first match in a text, after an index if one is given."""
        if self._whole is None:
            more = self._more(text, *place)
            # The wider one finds nothing, or an alternative that all three have: that is the result.
            if more is None or more.lastgroup in self._shared:
                return more
            less = self._less()(text, *place)
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
    """Acts like the pattern between two others, which is made only if they differ."""

    def __init__(
        self,
        less: Callable[[], re.Pattern[str]],
        more: re.Pattern[str],
        make: Callable[[], re.Pattern[str]],
        shared: Container[str | None] = (),
    ) -> None:
        """Makes a pattern; the arguments are those of `Between`, with patterns for searches."""
        self._make = make
        self.search = Between(lambda: less().search, more.search, lambda: self.whole.search, shared)
        self.match = Between(lambda: less().match, more.match, lambda: self.whole.match, shared)

    @cached_property
    def whole(self) -> re.Pattern[str]:
        """The pattern itself."""
        return self._make()

    # All but `search` and `match` (`fullmatch`, `pattern`, …) needs the pattern itself.
    def __getattr__(self, name: str) -> Any:
        return getattr(self.whole, name)

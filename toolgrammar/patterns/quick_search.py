r"""Searches long texts by the first characters of an expression, where `re` would be slow.

CPython skips to the next place where a match can begin only if every alternative begins with a
literal. An expression that begins with an anchor, or with something optional, is tried at each
character: ten to sixty nanoseconds, where skipping takes a quarter of one. The searches made here
skip to the characters with which a match can begin, or to the lines; the expression itself then
decides. Example: `(?m:^END$)` is tried at each line end, not at each character. An expression with
the names of tools is compiled only if one without names and one for any name do not agree.
"""

from __future__ import annotations

import re
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, Final

from toolgrammar.patterns.beginnings import begins_line, first_characters
from toolgrammar.patterns.partial import MOST_BLANKS, normalised
from toolgrammar.values.patterns import compile_pattern, late

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable

    # Both return the first match in a text: from an index on, or also from none.
    Search = Callable[[str, int], re.Match[str] | None]
    Finder = Callable[..., re.Match[str] | None]

_LONG: Final = 2048
"""The length of text from which on compiling a second expression pays."""
_MOST: Final = 8
"""The maximal number of first characters; a larger set occurs everywhere."""
# A literal character, or an escaped mark, without a quantifier after it: `<`, `\[`.
_LITERAL: Final = late(r"(?:[^\\.^$*+?{}\[\]|()]|\\[^\w\s])(?![*?{])")
"""The beginning of an expression to which CPython skips by itself."""
_KEPT: Final = 256
"""How many expressions are cached."""


def quick_search(pattern: re.Pattern[str], alternatives: Iterable[str]) -> Search:
    """Returns a search with the results of a pattern's `search`, from an index of a text on.

    Args:
        pattern: the pattern.
        alternatives: the expressions that the pattern joins.
    """
    # Analysing the expression would cost as much as compiling it did.
    is_led = all(map(_LITERAL.match, alternatives))
    return pattern.search if is_led else _Search(pattern)


def behind_blanks(pattern: re.Pattern[str], solid: Search) -> Search:
    """Returns a search for a pattern by the text after the white space with which it may begin.

    Args:
        pattern: the pattern.
        solid: the search for the same without that white space.
    """

    def find(text: str, start: int) -> re.Match[str] | None:
        if len(text) - start < _LONG:
            return pattern.search(text, start)
        seen = solid(text, start)
        # The match may begin in the white space before that place.
        return seen and pattern.search(text, max(start, seen.start() - MOST_BLANKS))

    return find


class _Search:
    """Searches for a pattern by its first characters."""

    def __init__(self, pattern: re.Pattern[str]) -> None:
        self._pattern = pattern

    def __call__(self, text: str, start: int) -> re.Match[str] | None:
        """Returns the first match in a text, from an index on."""
        pattern = self._pattern
        if len(text) - start < _LONG:
            return pattern.search(text, start)
        scout, shift = _scout(pattern.pattern)
        # It may begin with too many characters: skipping to them does not pay.
        if scout is None:
            return pattern.search(text, start)
        if shift:  # a match at the start of a line is after a line end, or here
            found = pattern.match(text, start)
            if found is not None:
                return found
        seen = scout.search(text, start)
        return None if seen is None else pattern.match(text, seen.start() + shift)


@lru_cache(maxsize=_KEPT)
def _scout(expression: str) -> tuple[re.Pattern[str] | None, int]:
    """Returns a pattern for places where an expression matches, and their offset from its own."""
    body = normalised(expression, {})
    # The scout finds the line end; the expression matches one character after that.
    if begins_line(expression):
        return compile_pattern(rf"\n(?={body})"), 1
    firsts = first_characters(expression)
    if firsts is None or len(firsts) > _MOST:
        return None, 0
    listed = "".join(map(re.escape, sorted(firsts)))
    # The look-behind returns to the place of the character, and looks ahead from there.
    return compile_pattern(rf"[{listed}](?<=(?={body})[\s\S])"), 0


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
    """Acts like the pattern between two others, which is made only if they differ.

    Of two patterns of calls one has no name of a tool, the other matches any name: one with the tools'
    own names lies between them. It finds what the wider one finds by an alternative without names,
    such as a closer, and what both find.
    """

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

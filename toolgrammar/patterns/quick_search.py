r"""Searches long texts by the first characters of an expression, where `re` would be slow.

CPython skips to the next place where a match can begin only if every alternative begins with a
literal. An expression that begins with an anchor, or with something optional, is tried at each
character: ten to sixty nanoseconds, where skipping takes a quarter of one. The searches made here
skip to the characters with which a match can begin, or to the lines; the expression itself then
decides. Example: `(?m:^END$)` is tried at each line end, not at each character.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from toolgrammar.patterns.beginnings import begins_line, first_characters
from toolgrammar.patterns.partial import MOST_BLANKS, normalised
from toolgrammar.values.patterns import compile_pattern, late

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    Search = Callable[[str, int], re.Match[str] | None]

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

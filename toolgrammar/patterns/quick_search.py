r"""Searches long texts by what an expression begins with, where the standard library would not.

CPython runs to the next place where a match can begin only if every alternative begins with a
literal. One that begins with an anchor, or with something optional, it tries at each character:
ten to sixty nanoseconds, where running takes a quarter of one. What is made here runs to the
characters that a match can begin with, or to the lines where it must; the expression itself judges
what was found. Example: `(?m:^END$)` is looked for at each line end, not at each character.
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
"""Characters from which on the second expression is worth its making."""
_MOST: Final = 8
"""Characters that a match can begin with; more of them stand everywhere."""
# A character that stands for itself, or an escaped mark, and no quantifier behind it: `<`, `\[`.
_LITERAL: Final = late(r"(?:[^\\.^$*+?{}\[\]|()]|\\[^\w\s])(?![*?{])")
"""What an expression begins with that CPython runs to."""
_KEPT: Final = 256
"""Expressions that are remembered."""


def quick_search(pattern: re.Pattern[str], alternatives: Iterable[str]) -> Search:
    """Returns what finds the same as the `search` of a pattern, from an index of a text on.

    Args:
        pattern: the pattern.
        alternatives: the expressions that it is made of.
    """
    # Reading the expression would cost as much as compiling it did.
    is_led = all(map(_LITERAL.match, alternatives))
    return pattern.search if is_led else _Search(pattern)


def behind_blanks(pattern: re.Pattern[str], solid: Search) -> Search:
    """Returns what finds a pattern by what stands behind the white space that it may begin with.

    Args:
        pattern: the pattern.
        solid: finds the same without that white space.
    """

    def find(text: str, start: int) -> re.Match[str] | None:
        if len(text) - start < _LONG:
            return pattern.search(text, start)
        seen = solid(text, start)
        # The match may begin in the white space before what was found.
        return seen and pattern.search(text, max(start, seen.start() - MOST_BLANKS))

    return find


class _Search:
    """Finds what a pattern finds."""

    def __init__(self, pattern: re.Pattern[str]) -> None:
        self._pattern = pattern

    def __call__(self, text: str, start: int) -> re.Match[str] | None:
        pattern = self._pattern
        if len(text) - start < _LONG:
            return pattern.search(text, start)
        scout, shift = _scout(pattern.pattern)
        # It may begin with too many characters: none of them is worth running to.
        if scout is None:
            return pattern.search(text, start)
        if shift:  # what begins a line stands behind a line end, or here
            found = pattern.match(text, start)
            if found is not None:
                return found
        seen = scout.search(text, start)
        return None if seen is None else pattern.match(text, seen.start() + shift)


@lru_cache(maxsize=_KEPT)
def _scout(expression: str) -> tuple[re.Pattern[str] | None, int]:
    """Returns what finds where an expression matches, and how far behind its own match that is."""
    body = normalised(expression, {})
    # The scout finds the line end; what it looks for stands one character behind that.
    if begins_line(expression):
        return compile_pattern(rf"\n(?={body})"), 1
    firsts = first_characters(expression)
    if firsts is None or len(firsts) > _MOST:
        return None, 0
    listed = "".join(map(re.escape, sorted(firsts)))
    # The look-behind goes back to where the character stands, and looks ahead from there.
    return compile_pattern(rf"[{listed}](?<=(?={body})[\s\S])"), 0

"""Parses regular expressions into the trees of the standard library, equal on each Python version.

Example: `a|(?!)` is parsed as a choice of `a` and a look-ahead that fails, on CPython 3.13 too.
"""

from __future__ import annotations

import re._constants as sre
import re._parser as sre_parser
from functools import lru_cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

REPEATS = frozenset({sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT})
ASSERTIONS = frozenset({sre.ASSERT, sre.ASSERT_NOT})
CATEGORIES = {
    sre.CATEGORY_DIGIT: r"\d",
    sre.CATEGORY_NOT_DIGIT: r"\D",
    sre.CATEGORY_SPACE: r"\s",
    sre.CATEGORY_NOT_SPACE: r"\S",
    sre.CATEGORY_WORD: r"\w",
    sre.CATEGORY_NOT_WORD: r"\W",
}
"""How the categories of characters are spelled in an expression."""
_NEVER: Any = (sre.ASSERT_NOT, (1, []))
"""The parse of `(?!)` up to CPython 3.12; from 3.13 on it has an operator of its own."""

_ONE_WAY = frozenset({sre.LITERAL, sre.NOT_LITERAL, sre.IN, sre.ANY, sre.AT, *ASSERTIONS})


# A format needs the first characters, the beginnings and a sample of the same terminals.
@lru_cache(maxsize=4096)
def parse_pattern(pattern: str) -> Any:
    """Returns the parse tree of a regular expression: a sequence of operators with their arguments.

    The tree is shared and must not be changed.

    Raises:
        re.error: the pattern is not a regular expression.
    """
    tree = sre_parser.parse(pattern)
    # Only a pattern with this text can contain the operator: the others need no walk.
    if "(?!)" in pattern:
        _spell_out(tree.data)
    return tree


def has_one_way(pattern: str) -> bool:
    """Whether a pattern can match in one way alone at a place: it repeats and chooses nothing."""
    return all(operator in _ONE_WAY for operator, _ in parse_pattern(pattern))


def bodies(operator: Any, argument: Any) -> list[Any]:
    """Returns the sequences inside a node of a parse tree: of `(a|b)` those of `a` and `b`."""
    if operator is sre.BRANCH:
        return list(argument[1])
    if operator is sre.ATOMIC_GROUP:
        return [argument]
    if operator is sre.SUBPATTERN or operator in REPEATS or operator in ASSERTIONS:
        return [argument[-1]]
    return []


def with_bodies(item: tuple[Any, Any], change: Callable[[Any], Any]) -> tuple[Any, Any]:
    """Returns a node of a parse tree with each of its inner sequences changed."""
    operator, argument = item
    if operator is sre.BRANCH:
        return operator, (argument[0], [change(branch) for branch in argument[1]])
    if operator is sre.ATOMIC_GROUP:
        return operator, change(argument)
    # In all others the sequence comes last.
    return (operator, (*argument[:-1], change(argument[-1]))) if bodies(*item) else item


def _spell_out(items: list[Any]) -> None:
    """Replaces the operator that never matches by an empty negative look-ahead, in a whole tree."""
    for place, (operator, argument) in enumerate(items):
        if operator is sre.FAILURE:
            items[place] = _NEVER
        for body in bodies(operator, argument):
            _spell_out(body.data)

"""Reads regular expressions into the trees of the standard library, the same on each Python.

Example: `a|(?!)` is read as a choice of `a` and a look-ahead that fails, on CPython 3.13 too.
"""

from __future__ import annotations

import re._constants as sre
import re._parser as sre_parser
from typing import Any

_ASSERTIONS = (sre.ASSERT, sre.ASSERT_NOT)
_NEVER: Any = (sre.ASSERT_NOT, (1, []))
"""What `(?!)` is up to CPython 3.12; from 3.13 on it has an operator of its own."""

_ONE_WAY = frozenset({sre.LITERAL, sre.NOT_LITERAL, sre.IN, sre.ANY, sre.AT, *_ASSERTIONS})


def parse_pattern(pattern: str) -> Any:
    """Returns the parse tree of a regular expression: a sequence of operators with their arguments.

    Raises:
        re.error: it is none.
    """
    tree = sre_parser.parse(pattern)
    # Only such a pattern can hold the operator: the others need no walk.
    if "(?!)" in pattern:
        _spell_out(tree.data)
    return tree


def has_one_way(pattern: str) -> bool:
    """Whether a pattern can match in one way alone at a place: it repeats and chooses nothing."""
    return all(operator in _ONE_WAY for operator, _ in parse_pattern(pattern))


def _spell_out(items: list[Any]) -> None:
    """Writes what never matches as a look-ahead for nothing, in a tree and all below it."""
    for place, (operator, argument) in enumerate(items):
        if operator is sre.FAILURE:
            items[place] = _NEVER
        else:
            _spell_out_below(argument)


def _spell_out_below(argument: Any) -> None:
    if isinstance(argument, sre_parser.SubPattern):
        _spell_out(argument.data)
    elif isinstance(argument, (tuple, list)):
        for each in argument:
            _spell_out_below(each)

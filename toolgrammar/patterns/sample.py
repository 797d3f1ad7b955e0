r"""Writes the plainest text that a regular expression matches, as a sample of a terminal.

Example: of `<call id="(?P<id>\d+)"\s*/?>` that is `<call id="0"/>`.
"""

from __future__ import annotations

import re._constants as sre
from functools import lru_cache
from typing import Any

from toolgrammar.patterns.pattern_trees import ASSERTIONS, REPEATS, parse_pattern


def sample(pattern: str, groups: dict[str, str] | None = None, number: int = 0) -> str | None:
    """Returns a text that `pattern` matches, or None if there is no plain one.

    Args:
        pattern: the regular expression.
        groups: the texts of named groups.
        number: the value of a run of digits.
    """
    parsed, names = _parsed(pattern)
    return _sequence(parsed, names, groups or {}, str(number))


@lru_cache(1024)  # a message repeats a format's markers
def _parsed(pattern: str) -> tuple[Any, dict[int, str]]:
    """Returns the parse tree of a pattern, and the names of its groups by their numbers."""
    parsed = parse_pattern(pattern)
    return parsed, {index: name for name, index in parsed.state.groupdict.items()}


def _sequence(items: Any, names: dict[int, str], groups: dict[str, str], number: str) -> str | None:
    out = []
    for item in items:
        text = _item(item, names, groups, number)
        if text is None:
            return None
        out.append(text)
    return "".join(out)


def _item(
    item: tuple[Any, Any], names: dict[int, str], groups: dict[str, str], number: str
) -> str | None:
    """Returns the sample of one node of the parse tree, or None."""
    operator, argument = item
    if operator is sre.LITERAL:
        return chr(argument)
    # An anchor or a look-around consumes no characters: `$` and `(?=x)` are written as nothing.
    if operator is sre.AT or operator in ASSERTIONS:
        return ""
    if operator is sre.BRANCH:
        # The first alternative represents all of them.
        return _sequence(argument[1][0], names, groups, number)
    if operator is sre.SUBPATTERN:
        name = names.get(argument[0])
        # The caller supplies the text of a named group: the name of the call, say.
        if name in groups:
            return groups[name]
        return _sequence(argument[3], names, groups, number)
    if operator is sre.ATOMIC_GROUP:
        return _sequence(argument, names, groups, number)
    if operator is sre.IN:
        return _member(argument)
    if operator in REPEATS:
        low, high, body = argument
        # The caller chooses a number, such as the index of a call.
        if len(body) == 1 and body[0] == (sre.IN, [(sre.CATEGORY, sre.CATEGORY_DIGIT)]) and low:
            return number
        text = _sequence(body, names, groups, number)
        if text is None:
            return "" if low == 0 else None
        # Optional literals are part of the plain form; optional white space is not.
        literal = all(_is_literal(part) for part in body)
        times = 1 if low == 0 and high == 1 and literal and text.strip() else low
        return text * times
    # `.` or a back reference has no plain text.
    return None


def _member(items: list[Any]) -> str | None:
    for operator, argument in items:
        if operator is sre.LITERAL:
            return chr(argument)
        # `[^>]` only excludes characters.
        if operator is sre.NEGATE:
            return None
    return None


def _is_literal(item: tuple[Any, Any]) -> bool:
    operator, argument = item
    if operator is sre.SUBPATTERN:
        return all(_is_literal(part) for part in argument[3])
    return operator is sre.LITERAL

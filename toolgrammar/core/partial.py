"""Turns a regular expression into the one that matches the proper beginnings of its matches.

The driver must know whether the end of the text so far may become a token. The answer is one
regular expression: for `<tool_call>` it matches `<`, `<t`, … `<tool_call`. It is built from the
parse tree that the standard library's own compiler uses, so that every construct is covered or
refused, and it is stored in the compiled tables: nothing of this runs while text is parsed.
"""

from __future__ import annotations

import re
import re._constants as sre
import re._parser as sre_parser
from typing import Any

_CATEGORIES = {
    sre.CATEGORY_DIGIT: r"\d",
    sre.CATEGORY_NOT_DIGIT: r"\D",
    sre.CATEGORY_SPACE: r"\s",
    sre.CATEGORY_NOT_SPACE: r"\S",
    sre.CATEGORY_WORD: r"\w",
    sre.CATEGORY_NOT_WORD: r"\W",
}
_ANCHORS = {
    sre.AT_BEGINNING: "^",
    sre.AT_BEGINNING_STRING: r"\A",
    sre.AT_BOUNDARY: r"\b",
    sre.AT_NON_BOUNDARY: r"\B",
    sre.AT_END: "$",
    sre.AT_END_STRING: r"\Z",
}
_FLAGS = ((re.IGNORECASE, "i"), (re.MULTILINE, "m"), (re.DOTALL, "s"), (re.VERBOSE, "x"))


def _class(items: list[Any]) -> str:
    parts: list[str] = []
    for operator, argument in items:
        if operator is sre.NEGATE:
            parts.append("^")
        elif operator is sre.LITERAL:
            parts.append(_in_class(argument))
        elif operator is sre.RANGE:
            parts.append(f"{_in_class(argument[0])}-{_in_class(argument[1])}")
        elif operator is sre.CATEGORY:
            parts.append(_CATEGORIES[argument])
        else:
            raise ValueError(f"a character class holds {operator}, which is not supported")
    return f"[{''.join(parts)}]"


def _in_class(code: int) -> str:
    return "\\" + chr(code) if chr(code) in "\\]^-[&~|" else chr(code)


def _repeat_suffix(low: int, high: int, operator: Any) -> str:
    limit = "" if high == sre.MAXREPEAT else str(high)
    lazy = {sre.MIN_REPEAT: "?", sre.POSSESSIVE_REPEAT: "+"}.get(operator, "")
    return f"{{{low},{limit}}}{lazy}"


def _with_flags(body: str, added: int, removed: int) -> str:
    on = "".join(letter for flag, letter in _FLAGS if added & flag)
    off = "".join(letter for flag, letter in _FLAGS if removed & flag)
    return f"(?{on}{'-' + off if off else ''}:{body})"


def _text(item: tuple[Any, Any], names: dict[int, str]) -> str:
    """Writes one node of the parse tree back as a regular expression."""
    operator, argument = item
    if operator is sre.LITERAL:
        return re.escape(chr(argument))
    if operator is sre.NOT_LITERAL:
        return f"[^{_in_class(argument)}]"
    if operator is sre.ANY:
        return "."
    if operator is sre.IN:
        return _class(argument)
    if operator is sre.AT:
        return _ANCHORS[argument]
    if operator is sre.BRANCH:
        return "(?:" + "|".join(_sequence_text(branch, names) for branch in argument[1]) + ")"
    if operator is sre.SUBPATTERN:
        group, added, removed, body = argument
        text = _with_flags(_sequence_text(body, names), added, removed)
        return f"(?P<{names[group]}>{text})" if group in names else text
    if operator in (sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT):
        low, high, body = argument
        return f"(?:{_sequence_text(body, names)}){_repeat_suffix(low, high, operator)}"
    if operator is sre.ATOMIC_GROUP:
        return f"(?>{_sequence_text(argument, names)})"
    if operator in (sre.ASSERT, sre.ASSERT_NOT):
        direction, body = argument
        sign = "=" if operator is sre.ASSERT else "!"
        return f"(?{'<' if direction < 0 else ''}{sign}{_sequence_text(body, names)})"
    raise ValueError(f"{operator} is not supported in a terminal")


def _sequence_text(items: Any, names: dict[int, str]) -> str:
    return "".join(_text(item, names) for item in items)


def _begin(item: tuple[Any, Any]) -> str | None:
    """Gives the beginnings of one node that are longer than nothing and not the whole, or None."""
    operator, argument = item
    if operator is sre.BRANCH:
        parts = [part for branch in argument[1] if (part := _begin_sequence(list(branch)))]
        return "(?:" + "|".join(parts) + ")" if parts else None
    if operator is sre.SUBPATTERN:
        part = _begin_sequence(list(argument[3]))
        return _with_flags(part, argument[1], argument[2]) if part else None
    if operator in (sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT):
        return _begin_repeat(item)
    if operator is sre.ATOMIC_GROUP:
        return _begin_sequence(list(argument))
    if operator is sre.ASSERT and argument[0] > 0:
        return _begin_sequence(list(argument[1]))
    if operator is sre.ASSERT_NOT and argument[0] > 0:
        return _begin_sequence(list(argument[1]))
    return None


def _begin_repeat(item: tuple[Any, Any]) -> str | None:
    _, high, body = item[1]
    if high == 0:
        return None
    whole = _sequence_text(body, {})
    part = _begin_sequence(list(body))
    limit = "" if high == sre.MAXREPEAT else str(high - 1)
    # Any number of whole rounds that leaves room for one more, then perhaps a part of it.
    rounds = f"(?:{whole}){{0,{limit}}}"
    return f"(?:{rounds}(?:{part})?)" if part else rounds


def _begin_sequence(items: list[Any]) -> str | None:
    """Gives the beginnings of a sequence: a part of the first node, or it whole and then a part."""
    if not items:
        return None
    parts: list[str] = []
    head = ""
    for position, item in enumerate(items):
        part = _begin(item)
        if part:
            parts.append(head + part)
        head += _text(item, {})
        if position + 1 < len(items) and _can_grow(items[position + 1 :]):
            parts.append(head)
    return "(?:" + "|".join(dict.fromkeys(parts)) + ")" if parts else None


def _can_grow(items: list[Any]) -> bool:
    """Tells whether something that takes up text may still come."""
    return any(
        not (operator is sre.AT or (operator in (sre.ASSERT, sre.ASSERT_NOT) and argument[0] < 0))
        for operator, argument in items
    )


def partial(pattern: str) -> str | None:
    """Gives a regular expression for the non-empty proper beginnings of `pattern`'s matches.

    Args:
        pattern: a regular expression in Python's syntax.

    Returns:
        The expression, to be anchored at the end of the text by the caller; it may also match
        nothing. None where no match has a proper beginning (a single character).

    Raises:
        ValueError: for a construct that has no beginnings (back-references, conditionals).
    """
    return _begin_sequence(list(sre_parser.parse(pattern)))


def normalised(pattern: str, names: dict[str, str]) -> str:
    """Rewrites `pattern` so that only the groups in `names` capture, under the new names there."""
    parsed = sre_parser.parse(pattern)
    groups = {number: names[name] for name, number in parsed.state.groupdict.items()}
    return _sequence_text(parsed, groups)


def group_names(pattern: str) -> tuple[str, ...]:
    """Lists the named groups of `pattern` in their order."""
    return tuple(sre_parser.parse(pattern).state.groupdict)


def first_characters(pattern: str) -> frozenset[str] | None:
    """Gives the characters that a match can begin with, or None where they can't be listed."""
    return _first(list(sre_parser.parse(pattern)))


def _first(items: list[Any]) -> frozenset[str] | None:
    for operator, argument in items:
        if operator in (sre.AT, sre.ASSERT, sre.ASSERT_NOT):
            continue
        if operator is sre.LITERAL:
            return frozenset(chr(argument))
        if operator is sre.SUBPATTERN:
            inner = list(argument[3])
            return _first(inner) if inner and not argument[1] & re.IGNORECASE else None
        if operator is sre.BRANCH:
            found = [_first(list(branch)) for branch in argument[1]]
            known = [each for each in found if each is not None]
            return frozenset().union(*known) if len(known) == len(found) else None
        return None
    return None


def without(characters: frozenset[str] | None) -> re.Pattern[str]:
    """Gives the expression of texts that hold none of these characters; of None, one that fails."""
    if not characters:
        return re.compile(r"(?!)")
    return re.compile(f"[^{''.join(map(_in_class, map(ord, sorted(characters))))}]+")

r"""Determines with which characters a regular expression can match, from its parse tree.

Example: a match of `\s*</call>|end` begins with white space, `<` or `e`; these can't be listed,
since `\s` is a category. Those of `</call>|end` are `<` and `e`.
"""

from __future__ import annotations

import re
import re._constants as sre
from functools import lru_cache
from typing import Any, Final

from toolgrammar.patterns.partial import in_class, partial, pattern_text
from toolgrammar.patterns.pattern_trees import ASSERTIONS, REPEATS, bodies, parse_pattern

_KEPT: Final = 1024
"""How many expressions are cached: those of closers are asked for repeatedly."""
_LONGEST_RANGE: Final = 128
"""The maximal number of characters of a range that are listed."""
# Some characters of each kind that `\s` matches.
_BLANKS: Final = " \t\n\r\f\v\x1c\x85\u00a0\u2028\u3000"
_INDENTS: Final = ("", "\t", *(" " * count for count in range(1, 17)))
"""Blanks that may be at the beginning of a line; an expression for other blanks is rare."""
_RELATIVES: Final = {"i": "\u0130\u0131", "k": "\u212a", "s": "\u017f"}  # the Kelvin sign is a `k`
"""Characters outside of ASCII that match a letter if case is ignored."""


def first_characters(pattern: str) -> frozenset[str] | None:
    """Returns the characters that a match can begin with, or None if they can't be listed."""
    parsed = parse_pattern(pattern)
    found, is_empty = _firsts(list(parsed), parsed.state.flags)
    return None if is_empty else found


def _firsts(items: list[Any], flags: int) -> tuple[frozenset[str] | None, bool]:
    """Returns the characters that a match can begin with, and whether it can be empty."""
    found: frozenset[str] = frozenset()
    for place, item in enumerate(items):
        if item[0] is sre.ASSERT and item[1][0] > 0 and place + 1 == len(items):
            here, is_empty = _firsts(
                list(item[1][1]), flags
            )  # the text that follows, which it does not consume
        else:
            # If the node may match no character, the next node counts, too.
            here, is_empty = _firsts_of(item, flags)
        if here is None:
            return None, False
        found |= here
        if not is_empty:
            return found, False
    return found, True


def _firsts_of(item: tuple[Any, Any], flags: int) -> tuple[frozenset[str] | None, bool]:
    """Returns the first characters of one node of the parse tree, and whether it can be empty."""
    operator, argument = item
    # They consume no character. What they exclude could only shorten the list.
    if operator in (sre.AT, sre.ASSERT, sre.ASSERT_NOT):
        return frozenset(), True
    if operator is sre.LITERAL:
        return _in_cases(frozenset(chr(argument)), flags), False
    if operator is sre.IN:
        return _in_cases(_listed(argument), flags), False
    if operator is sre.SUBPATTERN:
        flags = (flags | argument[1]) & ~argument[2]
    parts = [_firsts(list(body), flags) for body in bodies(operator, argument)]
    known = [part for part, _ in parts if part is not None]
    # `.`, or all but some characters; a branch that may begin with anything makes the list useless.
    if not parts or len(known) < len(parts):
        return None, False
    is_empty = any(is_empty for _, is_empty in parts) or (operator in REPEATS and not argument[0])
    return frozenset().union(*known), is_empty


@lru_cache(maxsize=_KEPT)
def begins_blank(pattern: str) -> bool:
    """Whether a match of a pattern may begin with white space."""
    # Most are tags: those need not be parsed.
    if pattern.startswith("<") and "|" not in pattern:
        return False
    return _begin_blank(list(parse_pattern(pattern)))[0]


def _begin_blank(items: list[Any]) -> tuple[bool, bool]:
    """Whether a match of part of a parse tree may begin with white space, or be empty."""
    for operator, argument in items:
        # They consume no character: the next node decides.
        if operator == sre.AT or operator in ASSERTIONS:
            continue
        parts = [_begin_blank(list(body)) for body in bodies(operator, argument)]
        found, is_empty = any(each for each, _ in parts), any(each for _, each in parts)
        if operator in REPEATS:
            is_empty = is_empty or not argument[0]
        elif not parts:
            # A class is tested itself: `[^<]` and `\W` match white space, too.
            written = pattern_text([(operator, argument)], {}, {})
            found = any(map(re.compile(written, re.DOTALL).match, _BLANKS))
        if found or not is_empty:
            return found, False
    return False, True


def _in_cases(characters: frozenset[str] | None, flags: int) -> frozenset[str] | None:
    """Adds the characters that match in the other case, if the flags ignore case.

    Returns None if one is not ASCII: those have more equivalents than `_RELATIVES` has.
    """
    if characters is None or not flags & re.IGNORECASE:
        return characters
    if not all(map(str.isascii, characters)):
        return None
    cases = {case for each in characters for case in (each.lower(), each.upper())}
    return frozenset(cases).union(*(_RELATIVES.get(each, ()) for each in cases))


def _listed(items: list[Any]) -> frozenset[str] | None:
    """Lists a class of characters; None if it is negated, or contains a category."""
    found: set[str] = set()
    for operator, argument in items:
        if operator is sre.LITERAL:
            found.add(chr(argument))
        elif operator is sre.RANGE and argument[1] - argument[0] < _LONGEST_RANGE:
            found.update(map(chr, range(argument[0], argument[1] + 1)))
        else:
            return None
    return frozenset(found)


def begins_line(pattern: str) -> bool:
    """Whether a match can only begin where a line begins."""
    parsed = parse_pattern(pattern)
    return _begin_lines(list(parsed), parsed.state.flags)


def _begin_lines(items: list[Any], flags: int) -> bool:
    """Whether a match of part of a parse tree can only begin where a line begins."""
    for operator, argument in items:
        if operator is sre.SUBPATTERN:
            return _begin_lines(list(argument[3]), flags | argument[1])
        if operator is sre.BRANCH:
            # One branch that begins elsewhere is enough to require a search at every place.
            return all(_begin_lines(list(branch), flags) for branch in argument[1])
        if (operator, argument) == (sre.AT, sre.AT_BEGINNING):
            # Without the flag, `^` is the beginning of the text, not of a line.
            return bool(flags & re.MULTILINE)
        if operator not in ASSERTIONS:
            return False
    return False


def literal_start(pattern: str) -> str:
    """Returns the literal characters with which every match begins; "" if there are none."""
    found: list[str] = []
    parsed = parse_pattern(pattern)
    # If case is ignored, the beginning is not one text.
    for operator, argument in () if parsed.state.flags & re.IGNORECASE else parsed:
        if operator is not sre.LITERAL:
            break
        found.append(chr(argument))
    return "".join(found)


def without(characters: frozenset[str] | None) -> re.Pattern[str]:
    """Returns the pattern of texts without these characters; for None, one that never matches."""
    if not characters:
        # A match that may begin with any character can't be excluded.
        return re.compile(r"(?!)")
    return re.compile(f"[^{''.join(map(in_class, map(ord, sorted(characters))))}]+")


def begins_indented(pattern: str) -> bool:
    """Whether a match can only begin where a line begins, and its first blanks end no line."""
    if not begins_line(pattern):
        return False
    begun = re.compile(partial(pattern) or "")
    return not any(begun.fullmatch(f"{blanks}\n") for blanks in _INDENTS)

"""Converts a regular expression into one that matches the proper beginnings of its matches.

The driver must know whether the end of the text so far may become a token. The answer is one
regular expression: for `<tool_call>` it matches `<`, `<t`, … `<tool_call`. It is built from the
parse tree that the standard library's own compiler uses, so that every construct is supported or
refused, and it is stored in the compiled tables: none of this runs while text is parsed.
"""

from __future__ import annotations

import re
import re._constants as sre
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from toolgrammar.patterns.pattern_trees import (
    ASSERTIONS,
    CATEGORIES,
    REPEATS,
    bodies,
    parse_pattern,
    with_bodies,
)
from toolgrammar.values.patterns import compile_pattern, late

if TYPE_CHECKING:
    from collections.abc import Iterable

_END_ANCHORS = frozenset({sre.AT_END, sre.AT_END_STRING, sre.AT_BOUNDARY, sre.AT_NON_BOUNDARY})
"""Anchors that depend on the next character: without one, a match may still fail."""
MOST_BLANKS = 64
"""The maximal white space at the start of a token; any more belongs to the text before it. A stream
tries as many places with as many lengths, for each chunk of a run of white space."""
BEGUN = "begun"
"""The name of the group, in a combined expression, for an incomplete match."""
MAX_TOKEN = 1024
"""The maximal length of a name, key or other scanned token of the envelope, in characters."""
_KEPT = 512
"""How many beginnings are cached: formats, and places of one format, share expressions."""
_NAMED = late(r"\(\?P<\w+>")
_ONE_CHARACTER = frozenset({sre.LITERAL, sre.NOT_LITERAL, sre.IN, sre.ANY})

# The constants of the parse tree, and how they are written.
_ANCHORS = {
    sre.AT_BEGINNING: "^",
    sre.AT_BEGINNING_STRING: r"\A",
    sre.AT_BOUNDARY: r"\b",
    sre.AT_NON_BOUNDARY: r"\B",
    sre.AT_END: "$",
    sre.AT_END_STRING: r"\Z",
}
_SHORT_REPEATS = {(0, 1): "?", (0, sre.MAXREPEAT): "*", (1, sre.MAXREPEAT): "+"}
_FLAGS = ((re.IGNORECASE, "i"), (re.MULTILINE, "m"), (re.DOTALL, "s"), (re.VERBOSE, "x"))


class UnstreamableError(ValueError):
    """A construct whose beginnings can't be expressed; `hint` is what to write instead."""

    def __init__(self, message: str, hint: str, code: str = "back-reference") -> None:
        super().__init__(message)
        self.hint, self.code = hint, code


_REFUSED = {
    sre.GROUPREF: UnstreamableError(
        "a back reference can't be read from a stream",
        "SAME_NAME and SAME_KEY repeat the name of the call and the key; else spell it out",
    ),
    sre.GROUPREF_EXISTS: UnstreamableError(
        "a condition on a group can't be read from a stream",
        "write the two ways as alternatives: `(?:…|…)`",
    ),
}


def _class(items: list[Any]) -> str:
    """Writes a class of characters."""
    parts: list[str] = []
    for operator, argument in items:
        if operator is sre.NEGATE:
            parts.append("^")
        elif operator is sre.LITERAL:
            parts.append(in_class(argument))
        elif operator is sre.RANGE:
            parts.append(f"{in_class(argument[0])}-{in_class(argument[1])}")
        elif operator is sre.CATEGORY:
            parts.append(CATEGORIES[argument])
        else:
            raise ValueError(f"a character class holds {operator}, which is not supported")
    # A category alone needs no class: Python compiles `\s` faster than `[\s]`.
    is_category = len(items) == 1 and items[0][0] is sre.CATEGORY
    return parts[0] if is_category else f"[{''.join(parts)}]"


def in_class(code: int) -> str:
    """Writes a character as it is spelled in a class."""
    # `[`, `&`, `~` and `|` are escaped too: Python warns of doubled ones as future set operations.
    return "\\" + chr(code) if chr(code) in "\\]^-[&~|" else chr(code)


def _repeat_text(body: str, items: Any, suffix: str) -> str:
    """Writes a repeat; a single character needs no group, which Python would have to compile."""
    is_one = len(items) == 1 and items[0][0] in _ONE_CHARACTER
    return f"{body}{suffix}" if is_one else f"(?:{body}){suffix}"


def _repeat_suffix(low: int, high: int, operator: Any) -> str:
    limit = "" if high == sre.MAXREPEAT else str(high)
    lazy = {sre.MIN_REPEAT: "?", sre.POSSESSIVE_REPEAT: "+"}.get(operator, "")
    return _SHORT_REPEATS.get((low, high), f"{{{low},{limit}}}") + lazy


def _with_flags(body: str, added: int, removed: int) -> str:
    """Writes the flags of a group; without any, no group, for `body` is a sequence."""
    on = "".join(letter for flag, letter in _FLAGS if added & flag)
    off = "".join(letter for flag, letter in _FLAGS if removed & flag)
    return f"(?{on}{'-' + off if off else ''}:{body})" if on or off else body


def _text(item: tuple[Any, Any], names: dict[int, str]) -> str:
    """Writes one node of the parse tree as a regular expression."""
    operator, argument = item
    if operator is sre.LITERAL:
        return re.escape(chr(argument))
    if operator is sre.NOT_LITERAL:
        return f"[^{in_class(argument)}]"
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
        # Other groups don't capture, but keep their flags.
        return f"(?P<{names[group]}>{text})" if group in names else text
    if operator in REPEATS:
        low, high, body = argument
        suffix = _repeat_suffix(low, high, operator)
        return _repeat_text(_sequence_text(body, names), body, suffix)
    if operator is sre.ATOMIC_GROUP:
        return f"(?>{_sequence_text(argument, names)})"
    if operator in ASSERTIONS:
        direction, body = argument
        sign = "=" if operator is sre.ASSERT else "!"
        return f"(?{'<' if direction < 0 else ''}{sign}{_sequence_text(body, names)})"
    raise _REFUSED.get(operator) or UnstreamableError(
        f"{operator} can't be read from a stream", "write it otherwise"
    )


def _sequence_text(items: Any, names: dict[int, str]) -> str:
    return "".join(_text(item, names) for item in items)


def _begin(item: tuple[Any, Any], flags: int) -> str | None:
    """Returns the pattern of the non-empty proper beginnings of one node, or None."""
    operator, argument = item
    if operator is sre.BRANCH:
        parts = [part for branch in argument[1] if (part := _begin_sequence(list(branch), flags))]
        return "(?:" + "|".join(parts) + ")" if parts else None
    if operator is sre.SUBPATTERN:
        part = _begin_sequence(list(argument[3]), flags & ~argument[2] | argument[1])
        return _with_flags(part, argument[1], argument[2]) if part else None
    if operator in REPEATS:
        return _begin_repeat(item, flags)
    if operator is sre.ATOMIC_GROUP:
        return _begin_sequence(list(argument), flags)
    # A look-ahead consumes no text, but its text may be cut as well: `a(?=bc)` in `ab`.
    if operator in ASSERTIONS and argument[0] > 0:
        return _begin_sequence(list(argument[1]), flags)
    return None


def _begin_repeat(item: tuple[Any, Any], flags: int) -> str | None:
    """Returns the pattern of the proper beginnings of a repeat, or None."""
    _, high, body = item[1]
    # `x{0}` matches nothing that could be incomplete.
    if high == 0:
        return None
    whole = _sequence_text(body, {})
    part = _begin_sequence(list(body), flags)
    limit = "" if high == sre.MAXREPEAT else str(high - 1)
    # Any number of whole rounds that leaves room for one more, then perhaps a part of it.
    # The minimal number of rounds does not matter: fewer rounds are a beginning.
    rounds = _repeat_text(whole, body, f"{{0,{limit}}}")
    return f"(?:{rounds}(?:{part})?)" if part else rounds


def _begin_sequence(items: list[Any], flags: int) -> str | None:
    """Returns the beginnings of a sequence: a part of the first node, or all of it and then a part.

    The first node is written once for all longer beginnings, so that none reads it again. A run of
    characters is halved: one character inside the other they would nest too deep.
    """
    if not items:
        return None
    half = _literal_run(items) // 2
    first, rest = (items[:half], items[half:]) if half > 1 else (items[:1], items[1:])
    if first[0][0] is sre.MIN_REPEAT:
        first = [(sre.MAX_REPEAT, first[0][1])]  # the text ends after it, or a few characters later
    whole = _sequence_text(first, {})
    part = _begin_sequence(first, flags) if half > 1 else _begin(first[0], flags)
    # Whether the whole first part is a proper beginning: something must follow it, or an
    # anchor has to examine the next character.
    ends = bool(rest) and (_can_grow(rest) or _has_end_anchor(rest))
    behind = _begin_sequence(rest, flags)
    if ends and rest[0] == (sre.AT, sre.AT_END) and not flags & re.MULTILINE:
        # `$` also matches before a line end that ends the text.
        behind = rf"(?:\n|{behind})" if behind else r"\n"
    parts = [] if part is None else [part]
    if ends or behind:
        # The whole first part, and perhaps more: one alternative, so that it is read once.
        parts.append(whole + (behind or "") + ("?" if ends and behind else ""))
    if part is not None and ends and _is_of_one_kind(first[0]):
        parts = [parts[1], ""]  # the shorter ones are whole ones, too
    # None for a single character, which has no proper beginning.
    return f"(?:{'|'.join(parts)})" if parts else None


def _is_of_one_kind(item: tuple[Any, Any]) -> bool:
    """Whether a node repeats one character, so that each of its beginnings is also a match."""
    if item[0] not in REPEATS:
        return False
    low, _, body = item[1]
    # Of `x{3}`, the beginning `xx` is not a match.
    return low <= 1 and len(body) == 1 and body[0][0] in _ONE_CHARACTER


def _literal_run(items: list[Any]) -> int:
    """Returns the number of literal characters at the beginning of a sequence."""
    return next((at for at, item in enumerate(items) if item[0] is not sre.LITERAL), len(items))


def _can_grow(items: list[Any]) -> bool:
    """Whether something that consumes or examines text may still come."""
    for operator, argument in items:
        # An anchor consumes no text; a look-behind examines text that was read already.
        if operator is sre.AT or (operator in ASSERTIONS and argument[0] < 0):
            continue
        if operator is sre.SUBPATTERN and not _can_grow(list(argument[3])):
            continue  # an empty group, which only marks a place
        return True
    return False


def _has_end_anchor(items: list[Any]) -> bool:
    """Whether a sequence has an anchor that depends on the next character, outside of groups."""
    return any(operator is sre.AT and argument in _END_ANCHORS for operator, argument in items)


def looks_on(pattern: str) -> bool:
    """Whether the character after a match of `pattern` decides if it is a match."""
    return _looks_on(list(parse_pattern(pattern)))


def _looks_on(items: list[Any]) -> bool:
    """Whether an anchor or a look-ahead in a sequence examines the text after it."""
    for operator, argument in items:
        if operator is sre.AT:
            found = argument in _END_ANCHORS
        elif operator in ASSERTIONS:
            found = argument[0] > 0
        else:
            found = any(_looks_on(list(body)) for body in bodies(operator, argument))
        if found:
            return True
    return False


def least_width(pattern: str) -> int:
    """Returns the minimal length of a match of `pattern` in characters.

    Raises:
        re.error: the pattern is not a regular expression.
    """
    re.compile(pattern)  # refuses more than parsing does: a look-behind of variable width
    least: int = parse_pattern(pattern).getwidth()[0]
    return least


def expression_error(pattern: str) -> int | None:
    """Returns the offset at which `pattern` is not a regular expression, or None if it is one."""
    try:
        re.compile(pattern)
    except re.error as problem:
        return problem.pos
    return None


@lru_cache(maxsize=_KEPT)
def partial(pattern: str) -> str | None:
    """Returns a regular expression for the non-empty proper beginnings of `pattern`'s matches.

    Args:
        pattern: a regular expression in Python's syntax.

    Returns:
        The expression, to be anchored at the end of the text by the caller; it may also match
        nothing. None if no match has a proper beginning (a single character).

    Raises:
        UnstreamableError: for a construct that has no beginnings (back references, conditions).
    """
    parsed = parse_pattern(pattern)
    return _begin_sequence(list(parsed), parsed.state.flags)


def begun_length(text: str, at: int, mark: str) -> int:
    """Returns the length of the longest tail of a text, after an index, that may become a mark."""
    # The longest first: of `<|"` all three characters are held back, not only the last.
    for length in range(min(len(mark) - 1, len(text) - at), 0, -1):
        if text.endswith(mark[:length]):
            return length
    return 0


def alternation(expressions: Iterable[str]) -> str:
    """Returns the expression that matches any of the expressions; without any, it never matches."""
    return "|".join(filter(None, expressions)) or "(?!)"


def unnamed(pattern: str) -> str:
    """Returns an expression without the names of its groups, which may occur only once each."""
    return _NAMED.sub("(?:", pattern)


def tail_that_begins(expressions: Iterable[str]) -> re.Pattern[str]:
    """Returns a pattern of the tail of a text that may become a match of one of the expressions."""
    # A single character has no beginnings: it can't be cut.
    return compile_pattern(rf"(?:{alternation(partial(each) or '' for each in expressions)})\Z")


def normalised(pattern: str, names: dict[str, str]) -> str:
    """Rewrites `pattern` so that only the groups in `names` capture, under the new names there."""
    parsed = parse_pattern(pattern)
    return pattern_text(list(parsed), parsed.state.groupdict, names)


def pattern_text(items: list[Any], numbers: dict[str, int], names: dict[str, str]) -> str:
    """Writes a parse tree as a regular expression.

    Args:
        items: the nodes of the tree.
        numbers: its groups by name.
        names: the groups that are to capture, with their new names.
    """
    groups = {number: names[name] for name, number in numbers.items() if name in names}
    return _sequence_text(items, groups)


def without_look_around(pattern: str) -> str:
    """Removes look-behinds from the front of `pattern` and look-aheads from its end.

    Nothing in the result captures.
    """
    items = _without_end(list(parse_pattern(pattern)))
    while items and items[0][0] in ASSERTIONS and items[0][1][0] < 0:
        items = items[1:]
    return _sequence_text(items, {})


def _without_end(items: list[Any]) -> list[Any]:
    """Returns the nodes of a sequence without look-aheads at its end."""
    while items and items[-1][0] in ASSERTIONS and items[-1][1][0] > 0:
        items = items[:-1]
    # It may be at the end of the last group, `(?:a(?=b))`, or of an alternative in it.
    if items and items[-1][0] in (sre.SUBPATTERN, sre.BRANCH):
        items = [*items[:-1], with_bodies(items[-1], lambda body: _without_end(list(body)))]
    return items


def group_names(pattern: str) -> tuple[str, ...]:
    """Lists the named groups of `pattern` in their order."""
    return tuple(parse_pattern(pattern).state.groupdict)

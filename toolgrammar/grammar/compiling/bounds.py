"""Keeps the work of expressions linear that are looked for in a text.

An expression that begins with any number of characters tries from each of them again to its end,
and a stream holds back what may yet become a match, and looks at it with each chunk: a text of such
characters costs the square of its length. So a repeat without a bound is given one when a grammar
is compiled, by the length that no token may have. White space in front has a bound of its own;
other runs in front are for the author of the grammar, whom the laws tell. Example: in
`[ ]*<call [^>]*>` the first repeat gets the bound 64, the second one 1025.
"""

from __future__ import annotations

import re._constants as sre
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from toolgrammar.patterns.partial import (
    MAX_TOKEN,
    MOST_BLANKS,
    UnstreamableError,
    partial,
    pattern_text,
)
from toolgrammar.patterns.pattern_trees import ASSERTIONS, REPEATS, bodies, parse_pattern

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

MOST_REPEATS: Final = MAX_TOKEN + 1
"""One more than the characters of the longest token: what reaches it is refused as before."""
_MOST_ROUNDS: Final = MAX_TOKEN // 2
"""Of a repeat that has another in it, so that a round has two characters mostly: the bounds of both
are multiplied."""
_SPACES: Final = frozenset(" \t\n\r\f\v")


def bounded(pattern: str, names: dict[str, str]) -> tuple[str, int]:
    """Returns `pattern` with a bound for each repeat that has none, and its length without them.

    Args:
        pattern: a regular expression in Python's syntax.
        names: the groups that shall capture, with their new names.
    """
    parsed = parse_pattern(pattern)
    in_front = {
        id(front.run)
        for front in _in_front(list(parsed))
        # Behind an anchor, `^\s*`, a run begins at few places.
        if not front.is_anchored and _is_blank(list(front.run[1][2]))
    }
    written = pattern_text(_bounded(parsed, in_front), parsed.state.groupdict, names)
    return written, len(pattern_text(list(parsed), parsed.state.groupdict, names))


def streamable(pattern: str) -> None:
    """Refuses what can't be read from a stream.

    Args:
        pattern: a regular expression in Python's syntax.

    Raises:
        UnstreamableError: for a construct that has no beginnings, and for a look-behind that is
            wider than the one character which is kept of the text that was given out.
    """
    partial(pattern)
    widest = max(_look_behinds(list(parse_pattern(pattern))), default=0)
    # A stream keeps one character of what it gave out, and no more.
    if widest > 1:
        raise UnstreamableError(
            f"a look-behind of {widest} characters can't be read from a stream",
            "only the one character before is still there: look at that one alone",
            "wide-look-behind",
        )


def _look_behinds(items: Iterable[Any]) -> Iterator[int]:
    """Yields how many characters each look-behind of a parse tree looks at."""
    for operator, argument in items:
        # The width is that of the widest way to match it.
        if operator in ASSERTIONS and argument[0] < 0:
            yield argument[1].getwidth()[1]
        for body in bodies(operator, argument):
            yield from _look_behinds(body)


def has_runaway(pattern: str) -> bool:
    """Whether looking for `pattern` may cost the square of the text.

    It begins with a run of any length, and what follows the run may fail; no look-behind or
    anchor says where the run has to begin.

    Args:
        pattern: a regular expression in Python's syntax.
    """
    return any(
        front.is_followed and not front.is_anchored
        for front in _in_front(list(parse_pattern(pattern)))
    )


class _Front(NamedTuple):
    """A repeat of any length that a match may begin with."""

    run: tuple[Any, Any]
    is_followed: bool
    """Whether something comes behind it that may fail."""
    is_anchored: bool
    """Whether an anchor or a look-behind says where it begins."""


def _in_front(
    items: list[Any], *, is_followed: bool = False, is_anchored: bool = False
) -> Iterator[_Front]:
    for place, (operator, argument) in enumerate(items):
        more = is_followed or any(map(_may_fail, items[place + 1 :]))
        inner: list[Any] = []
        can_be_empty, after = False, is_anchored
        if operator in REPEATS:
            low, high, body = argument
            can_be_empty = not low or not body.getwidth()[0]
            # So long a run counts as one of any length.
            if high > MOST_BLANKS:
                yield _Front(items[place], more, is_anchored)
            else:
                inner, more = [body], more or high > 1
        elif operator is sre.AT or (operator in ASSERTIONS and argument[0] < 0):
            # An anchor takes no text, and says where what follows it begins.
            after = can_be_empty = True
        elif operator in ASSERTIONS:
            can_be_empty = True
        else:
            inner = bodies(operator, argument)
            can_be_empty = not all(body.getwidth()[0] for body in inner)
            if operator is sre.SUBPATTERN:
                after = is_anchored or any(each is sre.AT for each, _ in argument[3])
        for body in inner:
            yield from _in_front(list(body), is_followed=more, is_anchored=is_anchored)
        # Behind what always takes text, nothing stands in front any more.
        if not can_be_empty:
            return
        is_anchored = after


def _may_fail(item: tuple[Any, Any]) -> bool:
    """Whether a node of the parse tree can refuse a text."""
    operator, argument = item
    if operator in REPEATS:
        # A repeat that may be empty never fails.
        return bool(argument[0])
    if operator is sre.SUBPATTERN:
        return any(map(_may_fail, argument[3]))
    return True


def _repeats(item: tuple[Any, Any]) -> bool:
    """Whether a node of the parse tree has a repeat of any length in it."""
    operator, argument = item
    if operator in REPEATS and argument[1] == sre.MAXREPEAT:
        return True
    # What is looked at takes no text: its repeats multiply nothing.
    inner = [] if operator in ASSERTIONS else bodies(operator, argument)
    return any(map(_repeats, (each for body in inner for each in body)))


def _is_blank(body: list[Any]) -> bool:
    """Whether what is repeated is one character of white space."""
    # A run of longer pieces, `(?:\s-)*`, is no white space.
    if len(body) != 1:
        return False
    operator, argument = body[0]
    if operator is sre.LITERAL:
        return chr(argument) in _SPACES
    return operator is sre.IN and all(
        (kind is sre.LITERAL and chr(value) in _SPACES)
        or (kind is sre.CATEGORY and value is sre.CATEGORY_SPACE)
        for kind, value in argument
    )


def _bounded(items: Iterable[Any], in_front: set[int]) -> list[Any]:
    """Returns the parse tree with a bound for each repeat.

    Args:
        items: the nodes of a sequence.
        in_front: identities of the runs of white space that a match may begin with.
    """
    found: list[Any] = []
    for item in items:
        operator, argument = item
        if operator in REPEATS:
            low, high, body = argument
            # Runs are known by identity, as equal ones may stand in other places.
            most = MOST_BLANKS if id(item) in in_front else MOST_REPEATS
            # `(?:a*b)*`: the bounds of both are multiplied.
            if any(map(_repeats, body)):
                most = min(most, _MOST_ROUNDS)
            bound = most if high == sre.MAXREPEAT else high
            # `x{2000,}` keeps what it asks for at least.
            found.append((operator, (low, max(low, bound), _bounded(body, in_front))))
        elif operator in (sre.SUBPATTERN, *ASSERTIONS):
            found.append((operator, (*argument[:-1], _bounded(argument[-1], in_front))))
        elif operator is sre.ATOMIC_GROUP:
            found.append((operator, _bounded(argument, in_front)))
        elif operator is sre.BRANCH:
            branches = [_bounded(branch, in_front) for branch in argument[1]]
            found.append((operator, (argument[0], branches)))
        else:
            found.append(item)
    return found

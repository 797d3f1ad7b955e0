"""Bounds the repeats of expressions that are searched for in a text, so that work is linear.

An expression that begins with a run of any length is tried at each character up to the end of the
run, and a stream holds back a possible match, and examines it with each chunk: a text of such
characters would cost the square of its length. So each unbounded repeat gets a bound when a grammar
is compiled, from the maximal length of a token. White space in front has a bound of its own;
other runs in front are left to the author of the grammar: tests report them. Example: in
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
from toolgrammar.patterns.pattern_trees import (
    ASSERTIONS,
    REPEATS,
    bodies,
    parse_pattern,
    with_bodies,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

MOST_REPEATS: Final = MAX_TOKEN + 1
"""One more than the characters of the longest token: a token of this length is refused anyway."""
_MOST_ROUNDS: Final = MAX_TOKEN // 2
"""The bound of a repeat that contains another repeat: a round has two characters mostly, and the
bounds of both are multiplied."""
_SPACES: Final = frozenset(" \t\n\r\f\v")


def bounded(pattern: str, names: dict[str, str]) -> tuple[str, int]:
    """Returns `pattern` with a bound for each unbounded repeat, and its length before that.

    Args:
        pattern: a regular expression in Python's syntax.
        names: the groups that are to capture, with their new names.
    """
    parsed = parse_pattern(pattern)
    in_front = {
        id(front.run)
        for front in _in_front(list(parsed))
        # After an anchor, as in `^\s*`, a run begins at few places.
        if not front.is_anchored and _is_blank(list(front.run[1][2]))
    }
    written = pattern_text(_bounded(parsed, in_front), parsed.state.groupdict, names)
    return written, len(pattern_text(list(parsed), parsed.state.groupdict, names))


def streamable(pattern: str) -> None:
    """Refuses an expression that can't be read from a stream.

    Args:
        pattern: a regular expression in Python's syntax.

    Raises:
        UnstreamableError: for a construct that has no beginnings, and for a look-behind wider
            than the one character that is kept of the text that was emitted.
    """
    partial(pattern)
    widest = max(_look_behinds(list(parse_pattern(pattern))), default=0)
    # A stream keeps one character of the text that it emitted.
    if widest > 1:
        raise UnstreamableError(
            f"a look-behind of {widest} characters can't be read from a stream",
            "only the one character before is still there: look at that one alone",
            "wide-look-behind",
        )


def _look_behinds(items: Iterable[Any]) -> Iterator[int]:
    """Yields the width, in characters, of each look-behind in a parse tree."""
    for operator, argument in items:
        # The width is that of the widest way to match it.
        if operator in ASSERTIONS and argument[0] < 0:
            yield argument[1].getwidth()[1]
        for body in bodies(operator, argument):
            yield from _look_behinds(body)


def has_runaway(pattern: str) -> bool:
    """Whether searching for `pattern` may cost the square of the text.

    That is so if it begins with a run of any length, the part after the run may fail, and no
    look-behind or anchor determines where the run begins.

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
    """Whether a part follows that may fail."""
    is_anchored: bool
    """Whether an anchor or a look-behind determines where it begins."""


def _in_front(
    items: list[Any], *, is_followed: bool = False, is_anchored: bool = False
) -> Iterator[_Front]:
    """Yields the repeats of any length with which a match of these nodes may begin."""
    for place, (operator, argument) in enumerate(items):
        more = is_followed or any(map(_may_fail, items[place + 1 :]))
        inner: list[Any] = []
        can_be_empty, after = False, is_anchored
        if operator in REPEATS:
            low, high, body = argument
            can_be_empty = not low or not body.getwidth()[0]
            # A run of this length counts as one of any length.
            if high > MOST_BLANKS:
                yield _Front(items[place], more, is_anchored)
            else:
                inner, more = [body], more or high > 1
        elif operator is sre.AT or (operator in ASSERTIONS and argument[0] < 0):
            # An anchor consumes no text, and determines where the next part begins.
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
        # After a part that always consumes text, nothing is in front any more.
        if not can_be_empty:
            return
        is_anchored = after


def _may_fail(item: tuple[Any, Any]) -> bool:
    """Whether a node of the parse tree can reject a text."""
    operator, argument = item
    if operator in REPEATS:
        # A repeat that may be empty never fails.
        return bool(argument[0])
    if operator is sre.SUBPATTERN:
        return any(map(_may_fail, argument[3]))
    return True


def _repeats(item: tuple[Any, Any]) -> bool:
    """Whether a node of the parse tree contains a repeat of any length."""
    operator, argument = item
    if operator in REPEATS and argument[1] == sre.MAXREPEAT:
        return True
    # A look-around consumes no text: its repeats multiply nothing.
    inner = [] if operator in ASSERTIONS else bodies(operator, argument)
    return any(map(_repeats, (each for body in inner for each in body)))


def _is_blank(body: list[Any]) -> bool:
    """Whether the body of a repeat is one character of white space."""
    # A run of longer pieces, `(?:\s-)*`, is not white space.
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
        in_front: the identities of the runs of white space with which a match may begin.
    """
    found: list[Any] = []
    for item in items:
        operator, argument = item
        if operator in REPEATS:
            low, high, body = argument
            # By identity, as an equal run may be in another place.
            most = MOST_BLANKS if id(item) in in_front else MOST_REPEATS
            # `(?:a*b)*`: the bounds of both are multiplied.
            if any(map(_repeats, body)):
                most = min(most, _MOST_ROUNDS)
            bound = most if high == sre.MAXREPEAT else high
            # `x{2000,}` keeps its minimum.
            found.append((operator, (low, max(low, bound), _bounded(body, in_front))))
        else:
            found.append(with_bodies(item, lambda body: _bounded(body, in_front)))
    return found

r"""Detects regular expressions that may take exponential time in the length of a text.

A backtracking matcher tries all ways to match before it fails. Their number is exponential if a
loop can read some text in two ways: `(a+)+`, `(a|a)*`, `(\w+\s?)*`. The automaton of the positions
of an expression shows such a loop: one position leads to the next in two ways, or two different
positions are reached by the same text and lead back to where they parted.
"""

from __future__ import annotations

import re
import re._constants as sre
import re._parser as sre_parser
from collections import Counter
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from toolgrammar.patterns.pattern_trees import CATEGORIES, bodies

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

# Few rounds have few ways: `(a|a){3}` has eight.
_LOOP: Final = 8
"""The rounds from which on a bounded repeat counts as an unbounded one."""
_MOST_POSITIONS: Final = 256
"""The maximal number of positions in a loop whose pairs are examined."""
_ASCII: Final = 128
_OTHER: Final = _ASCII
"""Represents all characters outside of ASCII."""
_ALL: Final = frozenset(range(_ASCII + 1))
_REPEATS: Final = (sre.MAX_REPEAT, sre.MIN_REPEAT)
_WITHOUT_TEXT: Final = (
    *(sre.AT, sre.ASSERT, sre.ASSERT_NOT, sre.GROUPREF, sre.GROUPREF_EXISTS),
    sre.FAILURE,
)
_BY_ITSELF: Final = (sre.ASSERT, sre.ASSERT_NOT, sre.ATOMIC_GROUP, sre.POSSESSIVE_REPEAT)
"""The operators whose body is matched by itself."""


class _Part(NamedTuple):
    """The first and last positions of a part of an expression, and whether it can be empty."""

    first: tuple[int, ...]
    last: tuple[int, ...]
    is_empty: bool


_NOTHING: Final = _Part((), (), is_empty=True)


class _Positions:
    """The positions of the characters in an expression, and in how many ways they can follow."""

    def __init__(self, items: Iterable[Any]) -> None:
        self.characters: list[frozenset[int]] = []
        self.follows: Counter[tuple[int, int]] = Counter()
        self._empty_twice = 0
        """How many choices so far can be empty in two ways."""
        self._loops_twice = False
        self._sequence(items)

    def _sequence(self, items: Iterable[Any]) -> _Part:
        whole = _NOTHING
        for item in items:
            whole = self._joined(whole, self._part(*item))
        return whole

    def _joined(self, before: _Part, behind: _Part) -> _Part:
        self._link(before.last, behind.first)
        return _Part(
            before.first + behind.first if before.is_empty else before.first,
            before.last + behind.last if behind.is_empty else behind.last,
            before.is_empty and behind.is_empty,
        )

    # Counted, since two ways from one position to the next matter: `(a*)*` leads from `a` to
    # `a` by the inner loop and by the outer one.
    def _link(self, ends: Iterable[int], starts: tuple[int, ...]) -> None:
        for end in ends:
            self.follows.update((end, start) for start in starts)

    def _part(self, operator: Any, argument: Any) -> _Part:
        """Adds the positions of one node of the parse tree, and returns its first and last ones."""
        if operator in _REPEATS:
            return self._repeat(*argument)
        if operator is sre.SUBPATTERN:
            return self._sequence(argument[3])
        if operator is sre.BRANCH:
            parts = [self._sequence(each) for each in argument[1]]
            # `(a?|b?)` can match nothing in two ways, and `(a?|b?)*` doubles them with each round.
            self._empty_twice += sum(part.is_empty for part in parts) > 1
            return _Part(
                tuple(place for part in parts for place in part.first),
                tuple(place for part in parts for place in part.last),
                any(part.is_empty for part in parts),
            )
        if operator in _WITHOUT_TEXT:
            return _NOTHING
        if operator in (sre.ATOMIC_GROUP, sre.POSSESSIVE_REPEAT):
            # Its match is final: nothing in it is tried again.
            low = argument[0] if operator is sre.POSSESSIVE_REPEAT else 1
            body = argument[2] if operator is sre.POSSESSIVE_REPEAT else argument
            inner = _Positions(body)
            # It is represented by one position with any of its characters.
            place = self._new(frozenset().union(*inner.characters))
            return _Part((place,), (place,), not low or body.getwidth()[0] == 0)
        place = self._new(_characters(operator, argument))
        return _Part((place,), (place,), is_empty=False)

    def _repeat(self, low: int, high: int, body: Any) -> _Part:
        before = self._empty_twice
        part = self._sequence(body)
        # The end of a round may lead to the next one; a repeat of few rounds counts as one round.
        if high > _LOOP or high == sre.MAXREPEAT:
            self._link(part.last, part.first)
            self._loops_twice = self._loops_twice or self._empty_twice > before
        return part._replace(is_empty=part.is_empty or not low)

    def _new(self, characters: frozenset[int]) -> int:
        self.characters.append(characters)
        return len(self.characters) - 1

    def is_ambiguous(self) -> bool:
        """Whether a loop can read some text in two ways."""
        if self._loops_twice:
            return True
        after: dict[int, list[int]] = {}
        for one, other in self.follows:
            after.setdefault(one, []).append(other)
        for loop in _loops(after):
            twice = any(
                count > 1 and one in loop and other in loop
                for (one, other), count in self.follows.items()
            )
            # There are many pairs of positions: in a very long loop only the first test is made.
            if twice or (len(loop) <= _MOST_POSITIONS and self._parts_and_meets(loop, after)):
                return True
        return False

    def _parts_and_meets(self, loop: frozenset[int], after: dict[int, list[int]]) -> bool:
        """Whether two paths for one text part at a position of a loop and meet there again."""

        def next_pairs(pair: tuple[int, int]) -> Iterator[tuple[int, int]]:
            one, other = pair
            for left in after.get(one, ()):
                for right in after.get(other, ()) if left in loop else ():
                    # Both paths have to read the same character, and neither may leave the loop.
                    if right in loop and self.characters[left] & self.characters[right]:
                        yield left, right

        for start in loop:
            parted = [pair for pair in next_pairs((start, start)) if pair[0] != pair[1]]
            ahead, seen = parted, set(parted)
            while ahead:
                pair = ahead.pop()
                # `(a|a)*`: two ways through one round, by the same text.
                if pair == (start, start):
                    return True
                new = [each for each in next_pairs(pair) if each not in seen]
                seen.update(new)
                ahead += new
        return False


def _loops(after: dict[int, list[int]]) -> Iterator[frozenset[int]]:
    """Yields the sets of positions that lead to each other."""
    reached = {start: _reached(start, after) for start in after}
    seen: set[int] = set()
    for start, found in reached.items():
        # A position that does not lead back to itself is read once, in however many ways.
        if start in found and start not in seen:
            loop = frozenset(each for each in found if start in reached.get(each, ()))
            seen |= loop
            yield loop


def _reached(start: int, after: dict[int, list[int]]) -> set[int]:
    found: set[int] = set()
    ahead = [start]
    while ahead:
        for each in after.get(ahead.pop(), ()):
            if each not in found:
                found.add(each)
                ahead.append(each)
    return found


def _characters(operator: Any, argument: Any) -> frozenset[int]:
    """Returns the characters that one position accepts, in both cases."""
    if operator is sre.LITERAL:
        return _of_code(argument)
    if operator is sre.NOT_LITERAL:
        # `[^é]` accepts all other characters outside of ASCII.
        return _ALL - (_of_code(argument) - {_OTHER})
    if operator is not sre.IN:
        return _ALL
    found: frozenset[int] = frozenset()
    is_not = False
    for kind, value in argument:
        if kind is sre.NEGATE:
            is_not = True
        elif kind is sre.LITERAL:
            found |= _of_code(value)
        elif kind is sre.RANGE:
            low, high = value
            found |= frozenset(range(low, min(high + 1, _ASCII)))
            found |= {_OTHER} if high >= _ASCII else frozenset()
        elif kind is sre.CATEGORY:
            found |= _of_category(value)
    # A class that excludes some characters outside of ASCII accepts others.
    return (_ALL - (found - {_OTHER})) if is_not else found


def _of_code(code: int) -> frozenset[int]:
    if code >= _ASCII:
        return frozenset({_OTHER})
    # Both cases, whatever the flags are: at worst, an expression is suspected in vain.
    return frozenset(ord(case) for case in (chr(code).lower(), chr(code).upper()))


@lru_cache(maxsize=16)
def _of_category(category: Any) -> frozenset[int]:
    pattern = re.compile(CATEGORIES[category])
    # `\w` and `\W` both contain characters outside of ASCII.
    return frozenset({code for code in range(_ASCII) if pattern.match(chr(code))} | {_OTHER})


@lru_cache(maxsize=512)
def is_exponential(pattern: str) -> bool:
    """Whether a search for `pattern` may take time that is exponential in the length of a text.

    Args:
        pattern: a regular expression in Python's syntax.

    Returns:
        True for `(a+)+b`; False for `a+b`, and for text that is not a regular expression.
    """
    try:
        tree = sre_parser.parse(pattern)
    except (re.error, RecursionError, OverflowError):
        return False
    return any(_Positions(items).is_ambiguous() for items in (tree, *_by_themselves(tree)))


def _by_themselves(items: Any) -> Iterator[Any]:
    """Yields the parts that are matched by themselves: `(?=(a+)+b)a` is as slow as `(a+)+b`."""
    for operator, argument in items:
        for body in bodies(operator, argument):
            if operator in _BY_ITSELF:
                yield body
            yield from _by_themselves(body)

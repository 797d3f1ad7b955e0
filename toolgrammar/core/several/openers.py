"""Finds in one search where any of several formats may open an island in text.

Example: at `<tool_call>` several formats open; the search finds the place, and `at` says which they
are.
"""

from __future__ import annotations

import re
from functools import cached_property
from operator import methodcaller
from typing import TYPE_CHECKING

from toolgrammar.patterns.beginnings import begins_line, first_characters, literal_start
from toolgrammar.patterns.partial import any_of, unnamed
from toolgrammar.values.patterns import compile_pattern, late

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

_ANCHORED = late(r"(?:\(\?(?:[a-z]+)?:)*\\A")
_ANY_CASE = "(?i:"
_NEVER = "(?!)"
_LINE = "line"
_START = 4
"""Characters by which openers are told apart at a place."""
_MOST_FIRSTS = 16
"""Characters that an opener may begin with before it is searched for everywhere."""


class _Opener:
    """One expression that opens islands, and the formats that have it."""

    def __init__(self, pattern: str, beginning: str) -> None:
        self.pattern = pattern
        self.begun = [rf"(?:{beginning})\Z"] if beginning else []
        """The expression of what may become it at the end of a text, where anything may."""
        self.start = literal_start(pattern)
        """What it begins with in any case."""
        self.users: list[int] = []

    @cached_property
    def whole(self) -> re.Pattern[str]:
        """Matches it."""
        return compile_pattern(self.pattern)


class OpenerSet:
    """The openers of several formats, each at its place in a list, which one search finds."""

    def __init__(self, formats: Iterable[Sequence[tuple[str, str]]]) -> None:
        """Takes for each format its openers, each with the expression of its beginnings."""
        found: dict[tuple[str, str], _Opener] = {}
        for number, pairs in enumerate(formats):
            for written, begun in pairs:
                # Their groups are not asked for.
                key = unnamed(written), unnamed(begun)
                # Formats share openers, and each is searched once for all of them.
                opener = found.setdefault(key, _Opener(*key))
                if number not in opener.users:
                    opener.users.append(number)
        self._by_first: dict[str, list[_Opener]] = {}
        self._anchored: list[_Opener] = []
        self._of_lines: list[_Opener] = []
        self._loose: list[_Opener] = []
        for opener in found.values():
            self._place(opener)
        # Few openers begin with the same four characters, so few expressions are tried at a place.
        self._by_start: dict[str, list[_Opener]] = {}
        for first, group in self._by_first.items():
            for opener in group:
                start = opener.start[:_START]
                self._by_start.setdefault(start if len(start) == _START else first, []).append(
                    opener
                )

    def _place(self, opener: _Opener) -> None:
        """Puts an opener where it is searched for best."""
        firsts = _firsts(opener.pattern)
        if begins_line(opener.pattern):
            self._of_lines.append(opener)
        # The search runs to one of these characters, so there may not be many of them.
        elif firsts is not None and len(firsts) <= _MOST_FIRSTS:
            for first in sorted(firsts):
                self._by_first.setdefault(first, []).append(opener)
        # `\A` opens at the beginning of the text alone and is asked for there.
        elif _ANCHORED.match(opener.pattern):
            self._anchored.append(opener)
        # What may begin with any character is tried at every place.
        elif opener.pattern != _NEVER:
            self._loose.append(opener)

    def _search(self, write: Callable[[_Opener], list[str]]) -> Search:
        """Makes one search of the expressions that are written for each opener."""

        def written(openers: list[_Opener]) -> list[str]:
            return [expression for opener in openers for expression in write(opener)]

        return Search(
            {key: written(group) for key, group in self._by_first.items()},
            written(self._of_lines),
            written(self._loose),
            written(self._anchored),
        )

    @cached_property
    def wholes(self) -> Search:
        """Finds openers."""
        return self._search(lambda opener: [opener.pattern])

    @cached_property
    def begun(self) -> Search:
        """Finds what may become an opener, up to the end of the text."""
        return self._search(lambda opener: opener.begun)

    @cached_property
    def either(self) -> Search:
        """Finds both; for a tail that is searched again and again."""
        return self._search(lambda opener: [opener.pattern, *opener.begun])

    def at(self, buffer: str, place: int) -> dict[int, int]:
        """Returns the formats that open at a place, each with the length of what opens there."""
        lengths: dict[int, int] = {}
        openers = [*self._by_start.get(buffer[place : place + _START], ()), *self._loose]
        # Openers of fewer characters are kept under their first one.
        openers += self._by_start.get(buffer[place : place + 1], ())
        if not place or buffer[place - 1] == "\n":
            openers += self._of_lines
        for opener in openers if place else (*openers, *self._anchored):
            # A comparison of strings is cheaper than an expression.
            if not buffer.startswith(opener.start, place):
                continue
            match = opener.whole.match(buffer, place)
            if match is not None:
                # White space around it makes an opener no more likely.
                length = len(match.group().strip())
                for number in opener.users:
                    lengths[number] = max(length, lengths.get(number, 0))
        return lengths


class AnyOpeners:
    """What opens in any of several formats.

    The openers that any message has are many, and are made once. Those with the names of its tools
    are a set of their own beside them, made for each new list of tools.
    """

    def __init__(self, *sets: OpenerSet) -> None:
        self.sets = sets

    def beside(self, more: OpenerSet) -> AnyOpeners:
        """Returns these openers and more of them."""
        return AnyOpeners(*self.sets, more)

    @cached_property
    def _wholes(self) -> list[Search]:
        return [each.wholes for each in self.sets]

    @cached_property
    def _begun(self) -> list[Search]:
        return [each.begun for each in self.sets]

    @cached_property
    def _either(self) -> list[Search]:
        return [each.either for each in self.sets]

    def find(self, buffer: str, position: int) -> int:
        """Returns the first place from `position` on where something opens, or -1."""
        return first_of([each.find(buffer, position) for each in self._wholes])

    def stands_at(self, buffer: str, place: int) -> bool:
        """Whether something opens at a place; the text behind it is not searched."""
        return any(map(methodcaller("stands_at", buffer, place), self._wholes))

    def begins_at(self, buffer: str, place: int) -> bool:
        """Whether the text from a place to its end may become an opener."""
        return any(map(methodcaller("stands_at", buffer, place), self._begun))

    def held(self, buffer: str, position: int) -> int:
        """Returns the start of the tail that may become an opener, or -1."""
        return first_of([each.find(buffer, position) for each in self._begun])

    def find_any(self, buffer: str, position: int) -> int:
        """Returns the first place of either, or -1; for a tail that is searched again and again."""
        return first_of([each.find(buffer, position) for each in self._either])

    def at(self, buffer: str, place: int) -> dict[int, int]:
        """Returns the formats that open at a place, each with the length of what opens there."""
        lengths: dict[int, int] = {}
        for each in self.sets:
            for number, length in each.at(buffer, place).items():
                lengths[number] = max(length, lengths.get(number, 0))
        return lengths


def first_of(places: Iterable[int]) -> int:
    """Returns the first of several places; -1 stands for none."""
    first = -1
    # A stream asks with each chunk: a loop takes less time than a generator.
    for place in places:
        if place >= 0 and (first < 0 or place < first):
            first = place
    return first


class Search:
    """One search of many patterns.

    A character that begins one is looked for first, then its own patterns are tried there. The
    look stands in a look-behind so that each branch begins with its character: `re` then runs over
    all other characters without a step of its machine. What begins lines is looked for at their
    ends.
    """

    def __init__(
        self,
        by_first: dict[str, list[str]],
        of_lines: list[str],
        loose: list[str],
        anchored: list[str],
    ) -> None:
        """Makes the search.

        Args:
            by_first: patterns by a character that they can begin with.
            of_lines: those that begin where a line does.
            loose: all others but
            anchored: those that begin where the text does.
        """
        branches = [
            rf"{re.escape(first)}(?<=(?={_either(patterns)})[\s\S])"
            for first, patterns in sorted(by_first.items())
            if patterns
        ]
        self._at_line = compile_pattern(_either(of_lines)) if of_lines else None
        self._at_start = compile_pattern(_either(anchored)) if anchored else None
        if of_lines:
            branches.append(rf"\n(?={_either(of_lines)})(?P<{_LINE}>)")
        if loose:
            branches.append(rf"(?={_either(loose)})")
        self._search = compile_pattern(any_of(branches))

    def find(self, buffer: str, position: int) -> int:
        """Returns the first place from `position` on where a pattern matches, or -1."""
        # A line that begins here has its break before the position, where the search does not look.
        if self._begins_at(buffer, position):
            return position
        match = self._search.search(buffer, position)
        if match is None:
            return -1
        # A line is found by its break, and begins behind it.
        return match.start() + (match.lastgroup == _LINE)

    def stands_at(self, buffer: str, place: int) -> bool:
        """Whether a pattern matches at a place."""
        if self._begins_at(buffer, place):
            return True
        # A break matches one place before its line.
        match = self._search.match(buffer, place)
        return match is not None and match.lastgroup != _LINE

    def _begins_at(self, buffer: str, place: int) -> bool:
        """Whether the text or a line begins at a place, with a pattern that begins such."""
        # Index 0 is read only where the text begins: the driver keeps one character before what it
        # reads. A line begins there as well.
        if not place and self._at_start is not None and self._at_start.match(buffer):
            return True
        if self._at_line is None or (place and buffer[place - 1 : place] != "\n"):
            return False
        return self._at_line.match(buffer, place) is not None


def _firsts(pattern: str) -> frozenset[str] | None:
    """Returns the characters that a match begins with, or None where they can't be listed."""
    firsts = first_characters(pattern)
    # Without case a letter begins with two characters: only marks can be listed.
    if firsts is None and pattern.startswith(_ANY_CASE):
        inner = first_characters("(?:" + pattern.removeprefix(_ANY_CASE))
        caseless = inner is not None and all(each.upper() == each.lower() for each in inner)
        return inner if caseless else None
    return firsts


def _either(patterns: Iterable[str]) -> str:
    return any_of(f"(?:{pattern})" for pattern in patterns)

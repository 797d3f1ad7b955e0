"""Finds the openers of several formats in text with one search.

Example: several formats open at `<tool_call>`; the search finds the place, and `at` returns the
formats.
"""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING

from toolgrammar.patterns.beginnings import begins_line, first_characters, literal_start
from toolgrammar.patterns.partial import alternation, unnamed
from toolgrammar.values.patterns import compile_pattern, late

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

_ANCHORED = late(r"(?:\(\?(?:[a-z]+)?:)*\\A")
_ANY_CASE = "(?i:"
_NEVER = "(?!)"
_LINE = "line"
_START = 4
"""The number of first characters by which openers are distinguished at a place."""
_MOST_FIRSTS = 16
"""The most characters that an opener may begin with; with more, it is tried at every place."""


class _Opener:
    """The expression of one opener, and the formats that have it."""

    def __init__(self, pattern: str, beginning: str) -> None:
        self.pattern = pattern
        self.begun = [rf"(?:{beginning})\Z"] if beginning else []
        """The expression of its beginnings at the end of a text; empty if it has none."""
        self.start = literal_start(pattern)
        """The text with which every match begins."""
        self.users: list[int] = []

    @cached_property
    def whole(self) -> re.Pattern[str]:
        """Matches the opener."""
        return compile_pattern(self.pattern)


class OpenerSet:
    """The openers of several formats, which one search finds; formats are given by number."""

    def __init__(self, formats: Iterable[Sequence[tuple[str, str]]]) -> None:
        """Makes the set.

        Args:
            formats: for each format its openers, each with the expression of its beginnings.
        """
        found: dict[tuple[str, str], _Opener] = {}
        for number, pairs in enumerate(formats):
            for written, begun in pairs:
                # Only the place of a match is used, so groups need no names.
                key = unnamed(written), unnamed(begun)
                # Formats share openers, and each opener is searched once for all of them.
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
        """Adds an opener to the group in which its search is cheapest."""
        firsts = _firsts(opener.pattern)
        if begins_line(opener.pattern):
            self._of_lines.append(opener)
        # The search runs to one of these characters, so there may not be many of them.
        elif firsts is not None and len(firsts) <= _MOST_FIRSTS:
            for first in sorted(firsts):
                self._by_first.setdefault(first, []).append(opener)
        # An opener with `\A` is tried only at the beginning of the text.
        elif _ANCHORED.match(opener.pattern):
            self._anchored.append(opener)
        # An opener that may begin with any character is tried at every place.
        elif opener.pattern != _NEVER:
            self._loose.append(opener)

    def _search(self, write: Callable[[_Opener], list[str]]) -> Search:
        """Returns one search for the expressions that `write` returns for each opener."""

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
        """Finds a suffix of the text that may become an opener."""
        return self._search(lambda opener: opener.begun)

    @cached_property
    def either(self) -> Search:
        """Finds both, for a suffix that is searched repeatedly."""
        return self._search(lambda opener: [opener.pattern, *opener.begun])

    def at(self, buffer: str, place: int) -> dict[int, int]:
        """Returns the formats that open at an index, each with the length of its opener."""
        lengths: dict[int, int] = {}
        openers = [*self._by_start.get(buffer[place : place + _START], ()), *self._loose]
        # Openers with fewer characters are stored under their first one.
        openers += self._by_start.get(buffer[place : place + 1], ())
        if not place or buffer[place - 1] == "\n":
            openers += self._of_lines
        for opener in openers if place else (*openers, *self._anchored):
            # A comparison of strings is cheaper than an expression.
            if not buffer.startswith(opener.start, place):
                continue
            match = opener.whole.match(buffer, place)
            if match is not None:
                # The length is evidence, and white space around an opener is not.
                length = len(match.group().strip())
                for number in opener.users:
                    lengths[number] = max(length, lengths.get(number, 0))
        return lengths


class AnyOpeners:
    """The openers of several formats, in one or more sets.

    Most openers are the same for all messages, and their set is made once. The openers with names
    of tools are a second set, which is made for each new list of tools.
    """

    def __init__(self, *sets: OpenerSet) -> None:
        self.sets = sets

    def beside(self, more: OpenerSet) -> AnyOpeners:
        """Returns these openers and more of them."""
        return AnyOpeners(*self.sets, more)

    def find(self, buffer: str, position: int) -> int:
        """Returns the first index from `position` on at which an opener stands, or -1."""
        return first_of([each.wholes.find(buffer, position) for each in self.sets])

    def stands_at(self, buffer: str, place: int) -> bool:
        """Whether an opener stands at an index; the text after it is not searched."""
        return any(each.wholes.stands_at(buffer, place) for each in self.sets)

    def begins_at(self, buffer: str, place: int) -> bool:
        """Whether the text from an index to its end may become an opener."""
        return any(each.begun.stands_at(buffer, place) for each in self.sets)

    def held(self, buffer: str, position: int) -> int:
        """Returns the start of the suffix that may become an opener, or -1."""
        return first_of([each.begun.find(buffer, position) for each in self.sets])

    def find_any(self, buffer: str, position: int) -> int:
        """Returns the first index of an opener or of such a suffix, or -1."""
        return first_of([each.either.find(buffer, position) for each in self.sets])

    def at(self, buffer: str, place: int) -> dict[int, int]:
        """Returns the formats that open at an index, each with the length of its opener."""
        lengths: dict[int, int] = {}
        for each in self.sets:
            for number, length in each.at(buffer, place).items():
                lengths[number] = max(length, lengths.get(number, 0))
        return lengths


def first_of(places: Iterable[int]) -> int:
    """Returns the smallest of several indexes, of which -1 means none."""
    first = -1
    # A stream calls this for each chunk, and a loop takes less time than a generator.
    for place in places:
        if place >= 0 and (first < 0 or place < first):
            first = place
    return first


class Search:
    """A search for many patterns at once.

    It searches the first characters of the patterns, and tries at each the patterns that begin with it.
    Each branch of the expression begins with such a character, and the pattern is in a look-behind after
    it, so that `re` skips all other characters quickly. Patterns at the start of a line are tried after
    line breaks.
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
            by_first: the patterns by a character with which they can begin.
            of_lines: the patterns that match only at the beginning of a line.
            loose: the patterns that may begin with any character.
            anchored: the patterns that match only at the beginning of the text.
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
        self._search = compile_pattern(alternation(branches))

    def find(self, buffer: str, position: int) -> int:
        """Returns the first index from `position` on at which a pattern matches, or -1."""
        # The break of a line that begins here stands before the position, so it is not searched.
        if self._begins_at(buffer, position):
            return position
        match = self._search.search(buffer, position)
        if match is None:
            return -1
        # A line is found by the break before it, and begins after that.
        return match.start() + (match.lastgroup == _LINE)

    def stands_at(self, buffer: str, place: int) -> bool:
        """Whether a pattern matches at an index."""
        if self._begins_at(buffer, place):
            return True
        # A match of a line break belongs to the line after it.
        match = self._search.match(buffer, place)
        return match is not None and match.lastgroup != _LINE

    def _begins_at(self, buffer: str, place: int) -> bool:
        """Whether a pattern matches that needs the beginning of the text or of a line."""
        # The driver keeps one character before the text that it reads, so index 0 is read only at
        # the beginning of the message. A line begins there as well.
        if not place and self._at_start is not None and self._at_start.match(buffer):
            return True
        if self._at_line is None or (place and buffer[place - 1 : place] != "\n"):
            return False
        return self._at_line.match(buffer, place) is not None


def _firsts(pattern: str) -> frozenset[str] | None:
    """Returns the characters with which a match can begin; None if they can't be listed."""
    firsts = first_characters(pattern)
    # If case is ignored, a letter has two forms, so only other characters can be listed.
    if firsts is None and pattern.startswith(_ANY_CASE):
        inner = first_characters("(?:" + pattern.removeprefix(_ANY_CASE))
        caseless = inner is not None and all(each.upper() == each.lower() for each in inner)
        return inner if caseless else None
    return firsts


def _either(patterns: Iterable[str]) -> str:
    """Returns the expression that matches any of several patterns."""
    return alternation(f"(?:{pattern})" for pattern in patterns)

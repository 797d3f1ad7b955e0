"""Finds in one search where any of several formats may open an island in text."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from toolgrammar.core.partial import first_characters, without

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_GROUP = re.compile(r"\(\?P<\w+>")
_ANCHORED = re.compile(r"(?:\(\?(?:[a-z]+)?:)*\\A")
_ANY_CASE = "(?i:"
_MOST_FIRSTS = 16
"""Characters that an opener may begin with before it is searched for everywhere."""


class _Opener:
    """One expression that opens islands, and the formats that have it."""

    __slots__ = ("_whole", "beginning", "pattern", "users")

    def __init__(self, pattern: str, beginning: str) -> None:
        self.pattern = pattern
        self.beginning = beginning
        self.users: list[int] = []
        self._whole: re.Pattern[str] | None = None

    @property
    def whole(self) -> re.Pattern[str]:
        if self._whole is None:
            self._whole = re.compile(self.pattern)
        return self._whole


class Openers:
    """The openers of several formats, each at its place in a list."""

    def __init__(self, formats: Iterable[Sequence[tuple[str, str]]]) -> None:
        """Takes for each format its openers, each with the expression of its beginnings."""
        found: dict[tuple[str, str], _Opener] = {}
        for number, pairs in enumerate(formats):
            for written, begun in pairs:
                key = _GROUP.sub("(?:", written), _GROUP.sub("(?:", begun)
                opener = found.setdefault(key, _Opener(*key))
                if number not in opener.users:
                    opener.users.append(number)
        self._by_first: dict[str, list[_Opener]] = {}
        self._anchored: list[_Opener] = []
        self._loose: list[_Opener] = []
        for opener in found.values():
            firsts = _firsts(opener.pattern)
            if firsts is not None and len(firsts) <= _MOST_FIRSTS:
                for first in sorted(firsts):
                    self._by_first.setdefault(first, []).append(opener)
            elif _ANCHORED.match(opener.pattern):
                self._anchored.append(opener)
            else:
                self._loose.append(opener)
        wholes = {key: [o.pattern for o in group] for key, group in self._by_first.items()}
        self._search = _search(wholes, [opener.pattern for opener in self._loose], "")
        self._anchored_search = re.compile(_either(o.pattern for o in self._anchored))
        self._held: re.Pattern[str] | None = None
        self._anchored_held: re.Pattern[str] | None = None
        firsts = None if self._loose else frozenset(self._by_first)
        self.plain = without(firsts)
        """Matches a chunk of text, behind the message's first character, where nothing opens."""

    def find(self, buffer: str, position: int) -> int:
        """Gives the first place from `position` on where something opens, or -1."""
        if position == 0 and self._anchored and self._anchored_search.match(buffer):
            return 0
        match = self._search.search(buffer, position)
        return match.start() if match is not None else -1

    def held(self, buffer: str, position: int) -> int:
        """Gives the start of the tail that may become an opener, or -1."""
        if self._held is None:
            begun = {
                key: [o.beginning for o in group if o.beginning]
                for key, group in self._by_first.items()
            }
            loose = [o.beginning for o in self._loose if o.beginning]
            self._held = _search(begun, loose, r"\Z")
            anchored = _either(o.beginning for o in self._anchored if o.beginning)
            self._anchored_held = re.compile(rf"(?:{anchored})\Z")
        if position == 0 and self._anchored:
            assert self._anchored_held is not None
            if self._anchored_held.match(buffer):
                return 0
        match = self._held.search(buffer, position)
        return match.start() if match is not None else -1

    def at(self, buffer: str, place: int) -> dict[int, int]:
        """Gives the formats that open at a place, each with the length of what opens there."""
        lengths: dict[int, int] = {}
        openers = [*self._by_first.get(buffer[place : place + 1], ()), *self._loose]
        for opener in openers if place else (*openers, *self._anchored):
            match = opener.whole.match(buffer, place)
            if match is not None:
                length = len(match.group().strip())
                for number in opener.users:
                    lengths[number] = max(length, lengths.get(number, 0))
        return lengths


def _firsts(pattern: str) -> frozenset[str] | None:
    """Gives the characters that a match begins with, or None where they can't be listed."""
    firsts = first_characters(pattern)
    if firsts is None and pattern.startswith(_ANY_CASE):
        inner = first_characters("(?:" + pattern.removeprefix(_ANY_CASE))
        caseless = inner is not None and all(each.upper() == each.lower() for each in inner)
        return inner if caseless else None
    return firsts


def _either(patterns: Iterable[str]) -> str:
    return "|".join(f"(?:{pattern})" for pattern in patterns) or "(?!)"


def _search(by_first: dict[str, list[str]], loose: list[str], end: str) -> re.Pattern[str]:
    """Makes one search of many patterns: a character that begins one, then a look at its own.

    The look stands in a look-behind so that each branch begins with its character: `re` then
    runs over all other characters without a step of its machine.
    """
    branches = [
        rf"{re.escape(first)}(?<=(?=(?:{_either(patterns)}){end})[\s\S])"
        for first, patterns in sorted(by_first.items())
        if patterns
    ]
    if loose:
        branches.append(rf"(?=(?:{_either(loose)}){end})")
    return re.compile("|".join(branches) or "(?!)")

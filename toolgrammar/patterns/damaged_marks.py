r"""Finds markup of a format that is damaged in a text that may hold anything, as a raw value may.

A damaged closer closes nothing, so it stays in the value, with all that follows up to the next one.
Example: in `ls</paramter>\n</function>` the mark `</parameter>` stands with a letter missing.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import cached_property, lru_cache
from itertools import chain, pairwise
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from toolgrammar.patterns.fences import LEAST
from toolgrammar.values.patterns import compile_pattern, late

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_BRACKETS = frozenset("<>[]{}|`")
_TAG = late(r"<(?P<slash>/?)(?P<name>[^\W_][\w.:-]{0,128})(?P<empty>[^<>]{0,256}/>)?")
_USUAL = frozenset("/_-.,:;()=\"'")
"""Punctuation that most texts have."""
_LEAST_LETTERS = 3
_LEAST = 5
"""Characters of markup that is no symbol; less is in any text."""
_SYMBOL = 2
"""Characters of a symbol alone, which text may hold with or without what picks its form."""
_LEAST_OF_CUT = 6
"""Characters that the end of the text has to leave of it."""
_WORD = late(r"[\w-]")
_FENCES = late(r"^[ \t]*(\S{0,2}[`~]\S{0,4})[ \t\r]*$", re.MULTILINE)
"""A line that may have been a fence."""


_Near: TypeAlias = "tuple[int, int] | None"
"""Where a damaged mark begins and ends in a part of a text."""


class Damaged(NamedTuple):
    """Markup that is damaged."""

    start: int
    """Index in the text."""
    text: str
    mark: str
    """What it was."""


class Marks:
    """The markup that may end a value, or stand behind it; see `marks_of`."""

    def __init__(self, marks: Iterable[str], others: Iterable[str]) -> None:
        own = {mark.strip("\r\n") for mark in marks} - {""}
        self.written = sorted(each for each in own.union(others) if len(each) > _SYMBOL)
        """As they stand where nothing is damaged, and other markup."""
        every = sorted({each.strip() for each in own})
        self.all = [_Mark(each) for each in every if _tells(each)]
        self.fences = [each for each in every if each and not each.strip("`")]

    @cached_property
    def hints(self) -> re.Pattern[str]:
        """Matches what a text holds in which one of them stands damaged."""
        # Damage leaves a piece of a mark whole: a text without any piece has no damaged mark.
        pieces = {piece for mark in self.all for piece, _ in mark.pieces}
        return compile_pattern("|".join(map(re.escape, sorted(pieces))) or "(?!)")

    @cached_property
    def _by_sign(self) -> dict[str, list[_Mark]]:
        """By a character, the marks that keep it or another such one however they are damaged.

        Those of letters alone, which keep none for sure, are listed by "".
        """
        found: dict[str, list[_Mark]] = {}
        for mark in self.all:
            for sign in mark.signs or ("",):
                found.setdefault(sign, []).append(mark)
        return found

    def find(self, text: str, *, is_cut: bool = False, pairs: bool = True) -> Damaged | None:
        """Returns the first of the marks that stands damaged in a text; None where none does.

        Args:
            text: a value.
            is_cut: whether the end of the message ends it, so that half a mark may end it too.
            pairs: whether a tag that has its partner in the text is a tag of the text's own.
        """
        for fence in self.fences if "`" in text else ():
            if found := _damaged_fence(text, fence):
                return found
        for symbol in self.symbols:
            if symbol in text and (found := self._lone_symbol(text, symbol)):
                return found
        # A mark that the end cut may have lost its signs, and be shorter than its first piece.
        likely = self.all if is_cut else self._likely(text)
        if not likely or not (is_cut or self.hints.search(text)):
            return None
        for mark in likely:
            for found in mark.damaged(text, is_cut=is_cut):
                if not (self._is_other(found, text) or (pairs and _is_paired(found, text))):
                    return found
        return None

    @cached_property
    def symbols(self) -> dict[str, str]:
        """The symbols that marks begin with, each with such a mark."""
        return {each.text[0]: each.text for each in self.all if is_symbol(each.text[0])}

    def _lone_symbol(self, text: str, symbol: str) -> Damaged | None:
        """Returns the first line that begins as a mark does, with a symbol, and with none of them."""
        for line in re.finditer(rf"(?m)^[ \t]*({symbol}\S{{0,2}})", text):
            if not any(_stands(each, text, line.start(1)) for each in self.written):
                return Damaged(line.start(1), line[1], self.symbols[symbol])
        return None

    def _likely(self, text: str) -> list[_Mark]:
        """Returns the marks that a text may hold damaged."""
        # Most texts hold few of these characters, and `in` costs less than the search for a mark.
        held = [marks for sign, marks in self._by_sign.items() if sign in text]
        return list(dict.fromkeys(chain.from_iterable(held)))

    def _is_other(self, found: Damaged, text: str) -> bool:
        """Whether one of the marks stands there and is not damaged."""
        # `</parameters>`, undamaged markup of its own, also resembles `</parameter>`.
        end = found.start + len(found.text)
        return any(
            text.find(each, max(0, found.start - len(each) + 1), end + len(each) - 1) >= 0
            for each in self.written
        )


@lru_cache(maxsize=1024)
def marks_of(marks: tuple[str, ...], others: tuple[str, ...] = ()) -> Marks:
    """Returns the marks with these texts; `others` are not looked for, and are no damage."""
    return Marks(marks, others)


class _Mark:
    """One mark, prepared for the search."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.bare = not any(each in _BRACKETS or is_symbol(each) for each in text)
        """Whether it is words, that tell of markup only at the beginning of a line."""
        size = len(text)
        self.most = 1 if self.bare else most_damaged(text)
        """Characters that may be missing, too much, others, or change places with the next."""
        self.characters = Counter(text)
        self.punctuation = Counter(each for each in text if not (each.isalnum() or each.isspace()))
        # So much damage leaves one of the pieces whole; of two, a swap could hit both.
        count = max(3, self.most + 1)
        cuts = [size * n // count for n in range(count + 1)]
        self.pieces = [(text[a:b], a) for a, b in pairwise(cuts) if b > a]

    def damaged(self, text: str, *, is_cut: bool) -> Iterator[Damaged]:
        """Returns the places of a text that hold something like the mark."""
        seen = set()
        # Text that repeats itself has the same few windows again and again.
        near: dict[str, _Near] = {}
        size, most = len(self.text), self.most
        for piece, offset in self.pieces:
            place = text.find(piece)
            while place >= 0:
                # Where the mark would begin, with room for characters that are too much.
                start = max(0, place - offset - most)
                # Two pieces of one mark find the same place.
                if start not in seen:
                    seen.add(start)
                    window = text[start : place - offset + size + most]
                    if window not in near:
                        near[window] = self._near(window)
                    found = self._in(near[window], text, start)
                    if found is not None:
                        yield found
                place = text.find(piece, place + 1)
        if is_cut and not self.bare:
            start = max(0, len(text) - size - most)
            found = self._cut(text[start:], start)
            if found is not None:
                yield found

    def _near(self, window: str) -> _Near:
        """Returns where in a window the damaged mark stands; None where it doesn't."""
        # Each damage takes one of the mark's characters at most, so this spares most comparisons.
        if (self.characters - Counter(window)).total() > self.most:
            return None
        distance, start, end = min(_distances(self.text, window, most=self.most)[-1])
        # At a distance of 0 it is the mark itself, which others have judged by what follows it.
        if not 0 < distance <= self.most or not self._keeps_marks(window[start:end]):
            return None
        return start, end

    def _in(self, near: _Near, text: str, offset: int) -> Damaged | None:
        if near is None:
            return None
        start, end = near
        found = text[offset + start : offset + end]
        # Words without a bracket are markup only where a line begins with them.
        begins = text[: offset + start].rpartition("\n")[2] if self.bare else ""
        return None if begins.strip() else Damaged(offset + start, found, self.text)

    def _cut(self, tail: str, offset: int) -> Damaged | None:
        rows = _distances(self.text, tail)
        # The longest beginning of the mark is tried first.
        for size in range(len(rows) - 1, _LEAST_OF_CUT - 1, -1):
            distance, start, end = rows[size][-1]
            if distance <= (1 if size < 9 else 2) and self.text[0] in tail[start:end]:
                return Damaged(offset + start, tail[start:end], self.text)
        return None

    @cached_property
    def _kept(self) -> int:
        """How many characters that are no letters damage leaves: all, or all but one of many."""
        total = self.punctuation.total()
        return min(max(total - 1, 2), total)

    @cached_property
    def _symbols(self) -> dict[str, int]:
        """How often each symbol stands in it; empty where that is less than twice in all."""
        found = {each: n for each, n in self.punctuation.items() if is_symbol(each)}
        return found if sum(found.values()) > 1 else {}

    @cached_property
    def signs(self) -> str:
        """Characters of which damage can't take all: of `</a>` it takes one, so `<` or `>` is left.

        Chosen are those that are rare in texts of any kind.
        """
        by_rarity = sorted(self.punctuation.elements(), key=lambda each: (each in _USUAL, each))
        rare = by_rarity[: self.punctuation.total() - self._kept + 1]
        return "".join([*rare, *self._symbols])

    def _keeps_marks(self, found: str) -> bool:
        """Whether what is no letter is left: all of it, or all but one of three and more."""
        left = self.punctuation & Counter(found)
        # `1|a|b>`: bars of special tokens tell by themselves, whatever became of `</`.
        if self._symbols and all(left[each] == count for each, count in self._symbols.items()):
            return True
        return left.total() >= self._kept


def _stands(mark: str, text: str, place: int) -> bool:
    """Whether a mark stands at a place; a word has to follow where it ends with a blank."""
    follows = text[place + len(mark) :]
    return text.startswith(mark, place) and (mark[-1] != " " or _WORD.match(follows) is not None)


def _tells(mark: str) -> bool:
    """Whether markup is so long that a text hardly holds anything like it by chance."""
    if any(map(is_symbol, mark)):
        return len(mark) > _SYMBOL
    return len(mark) >= _LEAST and sum(map(str.isalpha, mark)) >= _LEAST_LETTERS


def most_damaged(mark: str) -> int:
    """Returns how many characters of a mark, a label or a key may be damaged.

    The longer it is, the more damage still lets it be known.
    """
    return 1 if len(mark) < 7 else 2 if len(mark) < 12 else 3


def is_symbol(character: str) -> bool:
    """Whether a character is one that markup has and words do not: a bar, a block, an emoji."""
    # Bars and blocks as special tokens have them, not the letters of other scripts.
    return character > "\u2000" and not character.isalnum()


def _damaged_fence(text: str, fence: str) -> Damaged | None:
    """Returns the first line that may have been a fence, and comes an odd number of times."""
    for match in _FENCES.finditer(text):
        line = match[1]
        # A fence of fewer backticks is no damage: it belongs to a block inside this one.
        is_shorter = LEAST <= len(line) < len(fence) and not line.strip("`")
        if not is_shorter and distance(fence, line) == 1 and _comes_alone(line, text):
            return Damaged(match.start(1), line, fence)
    return None


def _comes_alone(line: str, text: str) -> bool:
    """Whether an odd number of lines begin with what may be a fence: two are one of its own."""
    begins = rf"(?m)^[ \t]*{re.escape(line)}" + ("" if line.strip("`") else "(?!`)")
    return len(re.findall(begins, text)) % 2 == 1


def _is_paired(found: Damaged, text: str) -> bool:
    """Whether a tag of the text's own stands there: it has its partner, or needs none."""
    tag = _TAG.match(text, found.start)
    if tag is None:
        return False
    if tag["empty"] is not None and not tag["slash"]:
        return True
    # `<b>` with its `</b>` behind it is a tag of the text, however near it is to a mark. Behind
    # `</b`, which closes what stands before it, `<b>` opens something else.
    around = text[: tag.start()] if tag["slash"] else text[tag.end() :]
    slash = "" if tag["slash"] else "/"
    partner = rf"<{slash}{re.escape(tag['name'])}(?![\w.:-])"
    return re.search(partner, around) is not None


def distance(one: str, other: str) -> int:
    """Returns how many characters are missing, too much, others, or swapped with the next."""
    return _distances(one, other, anywhere=False)[-1][-1][0]


def _distances(
    mark: str, text: str, *, anywhere: bool = True, most: int | None = None
) -> list[list[tuple[int, int, int]]]:
    """Returns, by length of a beginning of the mark, how far it is from what ends at each index.

    Each with where that begins and ends. A character that is missing, too much or another one
    counts one, and so do two that change places.

    Args:
        mark: the mark.
        text: the text.
        anywhere: whether the mark may begin anywhere: what stands before it costs nothing.
        most: a distance that is not exceeded where it matters; the work is less then.
    """
    row = [(0 if anywhere else at, at if anywhere else 0, at) for at in range(len(text) + 1)]
    rows = [row]
    # Whatever is within `most` keeps near the diagonal: each step beside it costs one.
    below = len(mark) if most is None else most
    above = len(text) if most is None else len(text) - len(mark) + most
    far = [(len(mark) + len(text), 0, at) for at in range(len(text) + 1)]
    for size, wanted in enumerate(mark, 1):
        before, row = rows[-1], far.copy()
        row[0] = (size, 0, 0)
        for at in range(max(1, size - below), min(len(text), size + above) + 1):
            written = text[at - 1]
            cost, start, _ = before[at - 1]
            best = (cost + (wanted != written), start)
            best = min(
                best, (before[at][0] + 1, before[at][1]), (row[at - 1][0] + 1, row[at - 1][1])
            )
            # Two that changed places: `</fucntion>`.
            if size > 1 and at > 1 and wanted == text[at - 2] and mark[size - 2] == written:
                swapped = rows[-2][at - 2]
                best = min(best, (swapped[0] + 1, swapped[1]))
            row[at] = (best[0], best[1], at)
        rows.append(row)
    return rows

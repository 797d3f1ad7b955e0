r"""Finds damaged markup of a format inside a text that may contain anything, such as a raw value.

A damaged closer closes nothing, so it stays in the value, with all text up to the next one.
Example: in `ls</paramter>\n</function>` the mark `</parameter>` lacks a letter.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from itertools import chain, pairwise
from typing import TYPE_CHECKING, TypeAlias

from toolgrammar.patterns.distances import common_length, distance, distances, places
from toolgrammar.patterns.fences import LEAST
from toolgrammar.values.patterns import late

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

_BRACKETS = frozenset("<>[]{}|`")
_TAG = late(r"<(?P<slash>/?)(?P<name>[^\W_][\w.:-]{0,128})(?P<empty>[^<>]{0,256}/>)?")
_USUAL = frozenset("/_-.,:;()=\"'")
"""Punctuation that is common in texts."""
_LEAST_LETTERS = 3
_LEAST = 5
"""The minimal length of markup that is not a symbol; anything shorter is common in texts."""
_SYMBOL = 2
"""The length of a lone symbol, which text may contain with or without a variation selector."""
_RARE = 128
"""Characters of a text for each of a sign, on average, that make the sign a rare one."""
_FEW = 512
"""Fewer characters than this are searched as a whole."""
_LEAST_OF_CUT = 6
"""The minimal number of characters of a mark that the end of the text cuts."""
_BEGUN = 4
"""The minimal number of characters of a tag that is broken off, as `</pa`."""
_ENDS_TAG = late(r"(?:[\w.:|\uff5c\u2581-]{0,127}[\w|\uff5c])?\s{0,16}>")
"""The rest of a tag with another name, as `ent>` in `</parent>` for `</parameter>`."""
_HALF = late(
    r"</(?:[\w.:|\uff5c\u2581-]{1,64}(?=[\s<{\[(@^#])(?!\s{0,16}>)"
    r"|[\w.:|\uff5c\u2581-]{0,64}(?=```|\{\"|<)|(?=\r?\n))"
)
"""A closer that is broken off, whatever its name: behind one or more letters of it comes a blank or a
bracket (`</par [`), behind any number of them a fence, an object or a tag (`</{"`), or its line ends.
"""
_WORD = late(r"[\w-]")
_FENCES = late(r"^[ \t]*(\S{0,2}[`~]\S{0,4})[ \t\r]*$", re.MULTILINE)
"""A line that may have been a fence."""


_Span: TypeAlias = "tuple[int, int] | None"
"""The beginning and the end of a damaged mark in a part of a text."""


# No named tuple, and no cached properties below: with one of them mypyc could not compile the module
# that every raw value is searched by (`distribution/compiled.py`).
class Damaged:
    """Markup that is damaged."""

    def __init__(self, start: int, text: str, mark: str) -> None:
        self.start = start
        """The index in the text."""
        self.text = text
        self.mark = mark
        """The undamaged mark."""


class Marks:
    """The markup that may end a value, or follow it; see `marks_of`."""

    def __init__(self, marks: Iterable[str], others: Iterable[str]) -> None:
        own = {mark.strip("\r\n") for mark in marks} - {""}
        self.written = sorted(each for each in own.union(others) if len(each) > _SYMBOL)
        """The marks without damage, and other markup."""
        every = sorted({each.strip() for each in own})
        self.all = [_Mark(each) for each in every if _tells(each)]
        self.pieces = sorted({piece for mark in self.all for piece, _ in mark.pieces})
        """The pieces of all marks: damage leaves one of its mark intact."""
        self.fences = [each for each in every if each and not each.strip("`")]
        tags = {each.partition(">")[0] + ">" for each in every if each.startswith("<")}
        self._tags = sorted(each for each in tags if len(each) > _BEGUN)
        """The tags with which marks begin."""
        self._closes = next((each for each in self._tags if each.startswith("</")), "")
        """One that closes an element; "" if none does."""
        self.symbols = {each.text[0]: each.text for each in self.all if is_symbol(each.text[0])}
        """The symbols with which marks begin, each with such a mark."""
        self._by_sign: dict[str, list[_Mark]] = {}
        """The marks by a character that damage leaves in them, or a similar one.

        Marks of letters alone, which have no such character, are listed under "".
        """
        for mark in self.all:
            for sign in mark.signs or ("",):
                self._by_sign.setdefault(sign, []).append(mark)

    def find(self, text: str, *, is_cut: bool = False, pairs: bool = True) -> Damaged | None:
        """Returns the first damaged mark in a text; None if there is none.

        Args:
            text: a value.
            is_cut: whether the end of the message ends the value: half a mark may end it then.
            pairs: whether a tag with its partner in the text belongs to the text.
        """
        for fence in self.fences if "`" in text else ():
            if found := _damaged_fence(text, fence):
                return found
        for symbol in self.symbols:
            if symbol in text and (found := self._lone_symbol(text, symbol)):
                return found
        # A mark that the end cuts may have lost its signs, and be shorter than its first piece.
        likely = self.all if is_cut else self._likely(text)
        if not likely:
            return None
        near = _near_signs(text, likely)
        # Few texts have a piece of a mark near a sign, and to look is cheaper than to search.
        around = "\0".join([text[start:end] for start, end in near])
        intact = [piece for piece in self.pieces if piece in around]
        if not (intact or is_cut):
            return None
        for mark in likely:
            for found in mark.damaged(text, near, intact, is_cut=is_cut):
                if not (self._is_other(found, text) or (pairs and _is_paired(found, text))):
                    return found
        return None

    def _lone_symbol(self, text: str, symbol: str) -> Damaged | None:
        """Returns the first line that begins with a mark's symbol, but with no whole mark."""
        for line in re.finditer(rf"(?m)^[ \t]*({symbol}\S{{0,2}})", text):
            if not any(_is_at(each, text, line.start(1)) for each in self.written):
                return Damaged(line.start(1), line[1], self.symbols[symbol])
        return None

    def broken_off(self, text: str) -> Damaged | None:
        """Returns the first half of a tag that ends in something else, as `</para` in `</para[1]`."""
        for tag in self._tags if "<" in text else ():
            for place in places(tag[:_BEGUN], text):
                size = common_length(tag, text[place : place + len(tag)])
                found = Damaged(place, text[place : place + size], tag)
                is_whole = size == len(tag) or _ENDS_TAG.match(text, place + size) is not None
                if not (is_whole or self._is_other(found, text)):
                    return found
        # `</dev/null` in a script is a path, `"</a" + ">"` and `f"</{tag}>"` in code are strings.
        for half in _HALF.finditer(text) if self._closes and "</" in text else ():
            found = Damaged(half.start(), half[0], self._closes)
            if not self._is_other(found, text):
                return found
        return None

    def _likely(self, text: str) -> list[_Mark]:
        """Returns the marks that may be damaged in a text."""
        # Most texts contain few of these characters, and `in` is cheaper than the search for a
        # mark.
        possible = [marks for sign, marks in self._by_sign.items() if sign in text]
        return list(dict.fromkeys(chain.from_iterable(possible)))

    def _is_other(self, found: Damaged, text: str) -> bool:
        """Whether the match is part of an undamaged mark."""
        # `</parameters>`, undamaged markup itself, also resembles `</parameter>`.
        end = found.start + len(found.text)
        return any(
            text.find(each, max(0, found.start - len(each) + 1), end + len(each) - 1) >= 0
            for each in self.written
        )


@lru_cache(maxsize=1024)
def marks_of(marks: tuple[str, ...], others: tuple[str, ...] = ()) -> Marks:
    """Returns the marks with these texts; `others` are never searched for, nor taken for damage."""
    return Marks(marks, others)


class _Mark:
    """One mark, prepared for the search."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.bare = not any(each in _BRACKETS or is_symbol(each) for each in text)
        """Whether it consists of words, which are markup only at the beginning of a line."""
        size = len(text)
        self.most = 1 if self.bare else most_damaged(text)
        """How many characters may be missing, superfluous, wrong, or swapped with the next one."""
        self.characters = tuple(Counter(text).items())
        """Each of its characters, with how often it occurs."""
        self.punctuation = Counter(each for each in text if not (each.isalnum() or each.isspace()))
        # This much damage leaves one of the pieces intact; a swap could damage two of them.
        count = max(3, self.most + 1)
        cuts = [size * n // count for n in range(count + 1)]
        self.pieces = [(text[a:b], a) for a, b in pairwise(cuts) if b > a]
        """Its pieces, each with its place in it: damage leaves one of them intact."""
        total = self.punctuation.total()
        self._least_left = min(max(total - 1, 2), total)
        """How many characters other than letters must be left: all, or all but one of many."""
        symbols = {each: n for each, n in self.punctuation.items() if is_symbol(each)}
        self._symbols = symbols if sum(symbols.values()) > 1 else {}
        """How often each symbol occurs in it; empty if there are fewer than two in all."""
        by_rarity = sorted(self.punctuation.elements(), key=lambda each: (each in _USUAL, each))
        self.signs = "".join([*by_rarity[: total - self._least_left + 1], *self._symbols])
        """Characters of which damage leaves one: of `</a>` it removes one, so `<` or `>` is left.

        The chosen ones are rare in texts of any kind.
        """

    def damaged(
        self,
        text: str,
        stretches: Iterable[tuple[int, int]],
        intact: Collection[str],
        *,
        is_cut: bool,
    ) -> Iterator[Damaged]:
        """Yields the places in some stretches of a text that resemble the mark.

        Args:
            text: the text.
            stretches: where in the text the mark may be.
            intact: those pieces of marks that stand in the stretches.
            is_cut: whether the end of the message ends the text.
        """
        seen = set()
        # A repetitive text has the same few windows again and again.
        near: dict[str, _Span] = {}
        size, most = len(self.text), self.most
        for piece, offset in [each for each in self.pieces if each[0] in intact]:
            for place in places(piece, text, stretches):
                # The possible start of the mark, with room for superfluous characters.
                start = max(0, place - offset - most)
                # Two pieces of one mark lead to the same place.
                if start not in seen:
                    seen.add(start)
                    window = text[start : place - offset + size + most]
                    if window not in near:
                        near[window] = self._damaged_span(window)
                    found = self._damaged_at(near[window], text, start)
                    if found is not None:
                        yield found
        if is_cut and not self.bare:
            start = max(0, len(text) - size - most)
            found = self._cut_by_end(text[start:], start)
            if found is not None:
                yield found

    def _damaged_span(self, window: str) -> _Span:
        """Returns the place of the damaged mark in a window; None if there is none."""
        # Most windows lack a bracket, or more characters of the mark than damage removes: counting
        # them spares the comparison.
        if not self._keeps_marks(window) or not self._keeps_characters(window):
            return None
        least, start, end = min(distances(self.text, window, most=self.most)[-1])
        # At a distance of 0 it is the mark itself, which other code judges by the text after it.
        if not 0 < least <= self.most or not self._keeps_marks(window[start:end]):
            return None
        return start, end

    def _damaged_at(self, near: _Span, text: str, offset: int) -> Damaged | None:
        if near is None:
            return None
        start, end = near
        found = text[offset + start : offset + end]
        # Words without a bracket are markup only at the beginning of a line.
        begins = text[: offset + start].rpartition("\n")[2] if self.bare else ""
        return None if begins.strip() else Damaged(offset + start, found, self.text)

    def _cut_by_end(self, tail: str, offset: int) -> Damaged | None:
        rows = distances(self.text, tail)
        # The longest beginning of the mark is tried first.
        for size in range(len(rows) - 1, _LEAST_OF_CUT - 1, -1):
            distance, start, end = rows[size][-1]
            if distance <= (1 if size < 9 else 2) and self.text[0] in tail[start:end]:
                return Damaged(offset + start, tail[start:end], self.text)
        return None

    def _keeps_characters(self, window: str) -> bool:
        """Whether no more characters are missing than may be damaged."""
        missing = 0
        for each, count in self.characters:
            if (left := window.count(each)) < count:
                missing += count - left
        return missing <= self.most

    def _keeps_marks(self, found: str) -> bool:
        """Whether enough characters other than letters are left: all, or all but one of many."""
        left = sum([min(found.count(each), count) for each, count in self.punctuation.items()])
        if left >= self._least_left:
            return True
        # `1|a|b>`: the bars of special tokens are enough, whatever happened to `</`.
        symbols = self._symbols
        return bool(symbols) and all(found.count(each) >= symbols[each] for each in symbols)


def _near_signs(text: str, marks: Collection[_Mark]) -> list[tuple[int, int]]:
    """Returns the stretches of a text in which a sign of some marks is near.

    It is the whole text where it is short, where signs are frequent, or a mark has none: one search
    is cheaper then.
    """
    if len(text) < _FEW:
        return [(0, len(text))]
    # Most marks of a format have the same signs.
    every = {mark.signs for mark in marks}
    signs = set("".join(every))
    if "" in every or sum(map(text.count, signs)) > len(text) // _RARE:
        return [(0, len(text))]
    reach = max([len(mark.text) + mark.most for mark in marks])
    found: list[tuple[int, int]] = []
    for place in sorted(chain.from_iterable(places(sign, text) for sign in signs)):
        start, end = max(0, place - reach), place + reach
        if found and found[-1][1] >= start:
            start = found.pop()[0]
        found.append((start, end))
    return found


def _is_at(mark: str, text: str, place: int) -> bool:
    """Whether a mark is at a place; if it ends with a blank, a word has to follow."""
    follows = text[place + len(mark) :]
    return text.startswith(mark, place) and (mark[-1] != " " or _WORD.match(follows) is not None)


def _tells(mark: str) -> bool:
    """Whether markup is so long that a similar text is unlikely to occur by chance."""
    if any(map(is_symbol, mark)):
        return len(mark) > _SYMBOL
    return len(mark) >= _LEAST and sum(map(str.isalpha, mark)) >= _LEAST_LETTERS


def most_damaged(mark: str) -> int:
    """Returns how many characters of a mark, a label or a key may be damaged.

    A longer text is still recognised with more damage.
    """
    return 1 if len(mark) < 7 else 2 if len(mark) < 12 else 3


def is_symbol(character: str) -> bool:
    """Whether a character occurs in markup but not in words: a bar, a block, an emoji."""
    # Bars and blocks of special tokens, not the letters of other scripts.
    return character > "\u2000" and not character.isalnum()


def _damaged_fence(text: str, fence: str) -> Damaged | None:
    """Returns the first line that may have been a fence, and occurs an odd number of times."""
    for match in _FENCES.finditer(text):
        line = match[1]
        # A fence of fewer backticks is not damaged: it belongs to a block inside this one.
        is_shorter = LEAST <= len(line) < len(fence) and not line.strip("`")
        # One backtick of three closes a string of JavaScript, too, which another one opens.
        is_begun = line == "`" and text.count(line) % 2 == 1
        is_near = not is_shorter and distance(fence, line) == 1 and _comes_alone(line, text)
        if is_begun or is_near:
            return Damaged(match.start(1), line, fence)
    return None


def _comes_alone(line: str, text: str) -> bool:
    """Whether an odd number of lines begin with this possible fence: a pair is the text's own."""
    begins = rf"(?m)^[ \t]*{re.escape(line)}" + ("" if line.strip("`") else "(?!`)")
    return len(re.findall(begins, text)) % 2 == 1


def _is_paired(found: Damaged, text: str) -> bool:
    """Whether a tag belongs to the text itself: it has its partner, or needs none."""
    tag = _TAG.match(text, found.start)
    if tag is None:
        return False
    if tag["empty"] is not None and not tag["slash"]:
        return True
    # `<b>` with its `</b>` after it is a tag of the text, however much it resembles a mark. After
    # `</b`, which closes the text before it, `<b>` opens something else.
    around = text[: tag.start()] if tag["slash"] else text[tag.end() :]
    slash = "" if tag["slash"] else "/"
    partner = rf"<{slash}{re.escape(tag['name'])}(?![\w.:-])"
    return re.search(partner, around) is not None

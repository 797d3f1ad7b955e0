"""Counts the characters in which a text differs from a mark, as damage leaves it.

Examples: `</paramter>` has a distance of 1 from `</parameter>`: a letter is missing. `L: read` may
have been `TOOL: read`, without three of its characters.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from toolgrammar.values.patterns import compile_pattern, late

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


def is_within(most: int, mark: str, text: str) -> bool:
    """Whether the distance of a text from a mark is at most so great."""
    # Each damage changes the length by one, or removes one character: counting spares most
    # comparisons.
    if abs(len(mark) - len(text)) > most or sum(each not in text for each in set(mark)) > most:
        return False
    return distances(mark, text, anywhere=False, most=most)[-1][-1][0] <= most


def distance(one: str, other: str) -> int:
    """Returns how many characters are missing, superfluous, wrong, or swapped with the next one."""
    return distances(one, other, anywhere=False)[-1][-1][0]


def distances(
    mark: str, text: str, *, anywhere: bool = True, most: int | None = None
) -> list[list[tuple[int, int, int]]]:
    """Returns, by length of a beginning of the mark, its distance from the text before each index.

    Each distance comes with the start and the end of that text. A character that is missing,
    superfluous or wrong counts one, and so do two that are swapped.

    Args:
        mark: the mark.
        text: the text.
        anywhere: whether the mark may begin anywhere: the text before it is free.
        most: an upper bound of the distances that matter, which reduces the work.
    """
    row = [(0 if anywhere else at, at if anywhere else 0, at) for at in range(len(text) + 1)]
    rows = [row]
    # A distance within `most` stays near the diagonal: each step away from it costs one.
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
            # Two swapped characters: `</fucntion>`.
            if size > 1 and at > 1 and wanted == text[at - 2] and mark[size - 2] == written:
                swapped = rows[-2][at - 2]
                best = min(best, (swapped[0] + 1, swapped[1]))
            row[at] = (best[0], best[1], at)
        rows.append(row)
    return rows


MOST: Final = 3
"""How many adjacent characters may be missing, and how many may replace them."""
_UNQUOTED, _NO_BLANK = late(r"[^\s\"'`\u201c]+"), late(r"\S+")
_OF_TAGS: Final = frozenset("<[{(`\"'")
_LEAST: Final = 2
"""How many adjacent characters of a mark must be left."""


def near_places(mark: str, text: str) -> Iterator[tuple[int, int]]:
    """Yields the start and end of each text that may be the mark after one damage.

    >>> list(near_places("TOOL:", "TOXL: read"))
    [(0, 5)]

    Args:
        mark: the mark, of at least three characters.
        text: the text. Where it has neither of `halves_of(mark)`, it is quicker not to ask.
    """
    first, last = halves_of(mark)
    if not _near(mark).search(text):
        return
    for at in places(first, text):
        same = common_length(mark, text[at : at + len(mark)])
        yield from ((at, end) for end in _ends(mark, text, at + same, same))
        if same == len(mark):
            yield from ((at, end) for end in _glued(mark, text, at + same, _NO_BLANK))
    # The same from the end: both texts are reversed.
    turned = mark[::-1]
    for at in places(last, text):
        stop = at + len(last)
        before = text[max(0, stop - len(mark) - MOST) : stop][::-1]
        same = common_length(turned, before)
        if same == len(mark):
            yield from ((stop - end, stop) for end in _glued(mark, before, same, _UNQUOTED))
        # A text that begins with half of the mark was found above.
        for end in _ends(turned, before, same, same):
            if not text.startswith(first, stop - end):
                yield stop - end, stop


def halves_of(mark: str) -> tuple[str, str]:
    """Returns the beginning and the end of a mark of which one damage leaves at least one.

    >>> halves_of("TOOL:")
    ('TO', 'L:')
    """
    half = max(_LEAST, (len(mark) - MOST + 1) // 2)
    return mark[:half], mark[-half:]


@lru_cache(maxsize=1024)
def _near(mark: str) -> re.Pattern[str]:
    """Matches a mark before or after one damage, except for the end of the replaced characters."""
    ways = {
        re.escape(mark[:at]) + rf"[\s\S]{{0,{MOST}}}?" * bool(at) + re.escape(mark[at + missing :])
        for at in range(len(mark) + 1)
        for missing in range(min(MOST, len(mark) - at) + 1)
        if at or missing
    }
    return compile_pattern("|".join(sorted(ways)))


def places(
    part: str, text: str, stretches: Iterable[tuple[int, int | None]] = ((0, None),)
) -> Iterator[int]:
    """Yields the indexes of a part of a text, all or those in some stretches of it."""
    for start, end in stretches:
        at = text.find(part, start, end)
        while at >= 0:
            yield at
            at = text.find(part, at + 1, end)


def common_length(one: str, other: str) -> int:
    """Returns the length of the common beginning of two texts."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(one), len(other)))


def _ends(mark: str, text: str, place: int, same: int) -> Iterator[int]:
    """Yields the possible ends of a damaged mark.

    Args:
        mark: the mark.
        text: the text that contains it.
        place: the index of the damage in the text.
        same: how many characters of the mark are before the damage.
    """
    # A mark that is whole was read as what it is: `<bash>. ` in a sentence is no damaged opener.
    if same == len(mark):
        return
    for missing in range(min(MOST, len(mark) - same) + 1):
        rest = mark[same + missing :]
        for odd in range(MOST + 1):
            start = place + odd
            if start <= len(text) and text.startswith(rest, start):
                yield start + len(rest)


def _glued(mark: str, text: str, place: int, extra: re.Pattern[str]) -> range:
    """Returns the indexes up to which extra characters are glued to a mark that is whole.

    `AAction:` and `Action:x` are no labels, and `^^^` has to begin its line. A tag is one whatever
    touches it.

    Args:
        mark: the mark.
        text: the text that contains it.
        place: the index of its end in the text.
        extra: matches the characters that may be glued to it.
    """
    is_tag = mark.lstrip()[:1] in _OF_TAGS
    found = None if is_tag else extra.match(text, place, place + MOST)
    return range(place + 1, found.end() + 1) if found else range(0)

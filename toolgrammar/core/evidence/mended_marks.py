"""Puts right a mark of calls that stands damaged in text, so that the text can be read once more.

Example: with `Acton:` before an object put right, a call stands there, and it was lost unsaid.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Final, NamedTuple

from toolgrammar.patterns.distances import MOST, distance, halves_of, near_places
from toolgrammar.patterns.fences import LEAST
from toolgrammar.values.patterns import late

if TYPE_CHECKING:
    import re
    from collections.abc import Iterable, Iterator

_MOST: Final = 64
"""Places like a mark at which it is put right."""
_MOST_NEAR: Final = 1024
"""Places like one mark that are looked at: a run of backticks has several at each of them."""
_NEAR: Final = 512
"""Characters before and behind a mark in which a call opens."""
_BEHIND: Final = 8192
"""Characters behind a mark that are read once more."""
_OTHER_QUOTES: Final = str.maketrans("\"'", "'\"")
_FENCE = late(r"\n?[ \t]{0,3}`{3,}([\w+#.-]*)[ \t\r]*(?:\n|\Z)")
"""A line that is a sound fence, and its word."""


class MendedMark(NamedTuple):
    """A text in which a mark was put right."""

    start: int
    """Where it stands in the text as it was written."""
    written: str
    """What stands there."""
    text: str
    """What stands around it, with the mark."""
    place: int
    """Where the mark begins in that."""
    end: int
    """Where it ends there."""
    is_first: bool
    """Whether that begins where the whole text does."""


class MarksOfCalls:
    """The marks that calls of one format have."""

    def __init__(self, marks: Iterable[str], opener: re.Pattern[str]) -> None:
        """Takes the marks, and the expression of what calls and their sections open with."""
        # A word alone may stand in any prose.
        self._marks = sorted({each for each in marks if len(each) >= LEAST and not _is_word(each)})
        self._halves = [(mark, *halves_of(mark)) for mark in self._marks]
        self._opener = opener

    def mended(self, text: str) -> Iterator[MendedMark]:
        """Yields the ways to put one mark right in a text so that a call opens there."""
        # Most texts have neither half of any mark.
        likely = [mark for mark, one, other in self._halves if one in text or other in text]
        if not likely:
            return
        opened = self._opener.search(text)
        if opened is not None and opened.start() == 0:
            # Sound, but behind the closer of reasoning: a fence opens a call at the start of a line.
            end = opened.end()
            yield MendedMark(0, opened[0], text[: end + _BEHIND], 0, end, is_first=False)
        seen: set[str] = set()
        for mark, start, end in islice(self._near(likely, text), _MOST):
            first = max(0, start - _NEAR)
            before, behind = text[first:start], text[end : end + _BEHIND]
            # An opener stands before the mark, or the mark opens the call itself.
            if not (opened is not None and first <= opened.start() < start):
                found = self._opener.search(f"{before}{mark}{behind[:_NEAR]}")
                if found is None or found.start() >= len(before) + len(mark):
                    continue
            mended = f"{before}{mark}{behind}"
            # Of `Actoin:`, `Action` and `Action:` are put right in the same way.
            if mended in seen:
                continue
            seen.add(mended)
            yield MendedMark(
                start, text[start:end], mended, len(before), len(before) + len(mark), first == 0
            )

    def _near(self, marks: Iterable[str], text: str) -> Iterator[tuple[str, int, int]]:
        for mark in marks:
            yield from self._in_other_quotes(mark, text)
            for start, end in islice(near_places(mark, text), _MOST_NEAR):
                # `</tool_call>` is a mark of its own, and like `<tool_call>`.
                if not (_is_fence(mark, text, start, end) or self._is_part(mark, text, start, end)):
                    yield mark, start, end

    @staticmethod
    def _in_other_quotes(mark: str, text: str) -> Iterator[tuple[str, int, int]]:
        """Yields a tag with its quotes put right: `<use tool='edit'>` for `<use tool="edit">`."""
        other = mark.translate(_OTHER_QUOTES)
        start = text.find(other) if mark[0] == "<" and other != mark else -1
        end = text.find(">", start, start + _NEAR) + 1 if start >= 0 else 0
        if end:
            yield text[start:end].translate(_OTHER_QUOTES), start, end

    def _is_part(self, mark: str, text: str, start: int, end: int) -> bool:
        """Whether what is like a mark is a part of another mark, which is whole."""
        written = text[start:end]
        return any(
            written in each and text.find(each, max(0, end - len(each)), start + len(each)) >= 0
            for each in self._marks
            if not mark.startswith(each)
        )


def _is_word(mark: str) -> bool:
    return mark.strip().replace("_", "").isalnum()


def _is_fence(mark: str, text: str, start: int, end: int) -> bool:
    """Whether what is like a mark is a fence of a block of its own, or a part of one."""
    written = text[start:end]
    if not written.strip("`\n"):
        around = (text[start - 1 : start], text[end : end + 1])
        return len(written.strip()) >= LEAST or "`" in around
    # The last backticks of a fence are no fence of their own.
    before = text[max(0, start - _MOST) : start]
    fence = _FENCE.match(text, start - len(before) + len(before.rstrip("`")))
    if fence is None:
        return False
    # `java` is no damaged `json`: it is another language, and so is none at all.
    word, found = mark.strip("`\r\n {"), fence[1][: 2 * len(mark)]
    # `jsjson` says it twice.
    is_repeated = len(word) > MOST and word in found and len(found) <= len(word) + MOST
    return not is_repeated and distance(word, found) > (len(word) > 1)

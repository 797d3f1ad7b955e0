"""Repairs one damaged mark of calls in a text, so that the text can be read once more.

Example: with `Acton:` repaired to `Action:`, the text is a call, which would have been lost silently.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Final, NamedTuple

from toolgrammar.core.evidence.named_tools import continues_word
from toolgrammar.grammar.call_evidence import is_of_any_call
from toolgrammar.patterns.damaged_marks import most_damaged
from toolgrammar.patterns.distances import MOST, distance, halves_of, is_within, near_places
from toolgrammar.patterns.fences import LEAST
from toolgrammar.values.patterns import late

if TYPE_CHECKING:
    import re
    from collections.abc import Iterable, Iterator

_MOST: Final = 64
"""The maximal number of repairs that are tried in a text."""
_MOST_NEAR: Final = 1024
"""The maximal number of places that are compared with a mark: a run of backticks has many."""
_NEAR: Final = 512
"""The number of characters before and behind a mark in which the opener of a call is searched."""
_BEHIND: Final = 8192
"""The number of characters behind a mark that are read once more."""
_OTHER_QUOTES: Final = str.maketrans("\"'", "'\"")
_FENCE = late(r"\n?[ \t]{0,3}`{3,}([\w+#.-]*)[ \t\r]*(?:\n|\Z)")
"""A line that is an undamaged fence, and the word in it."""


class MendedMark(NamedTuple):
    """A part of a text in which one mark was repaired."""

    start: int
    """The offset of the damaged mark in the original text."""
    written: str
    """The damaged mark, as it was written."""
    text: str
    """The part of the text, with the repaired mark."""
    place: int
    """The offset of the repaired mark in `text`."""
    end: int
    """The offset of its end in `text`."""
    is_first: bool
    """Whether `text` begins at the beginning of the original text."""
    is_of_calls: bool = True
    """Whether only calls contain the mark."""


class _Marks:
    """Marks that may be damaged in a text."""

    def __init__(self, marks: Iterable[str]) -> None:
        # A mark that is a mere word may occur in any prose.
        self._marks = sorted({each for each in marks if len(each) >= LEAST and not _is_word(each)})
        self._halves = [(mark, *halves_of(mark)) for mark in self._marks]

    def _likely(self, text: str) -> list[str]:
        """Returns the marks that may be damaged in a text."""
        # A mark with little damage still has one half; most texts have neither half of any mark.
        return [mark for mark, one, other in self._halves if one in text or other in text]

    def _near(self, marks: Iterable[str], text: str) -> Iterator[tuple[str, int, int]]:
        """Yields the marks that are damaged in a text, with their places."""
        for mark in marks:
            yield from self._in_other_quotes(mark, text)
            for start, end in islice(near_places(mark, text), _MOST_NEAR):
                if self._may_be(mark, text, start, end) and not _is_fence(mark, text, start, end):
                    yield mark, start, end

    def _may_be(self, mark: str, text: str, start: int, end: int) -> bool:
        """Whether the text that resembles a mark may be that mark."""
        # `</tool_call>` resembles `<tool_call>`, but is a mark itself.
        return not self._is_part(mark, text, start, end)

    @staticmethod
    def _in_other_quotes(mark: str, text: str) -> Iterator[tuple[str, int, int]]:
        """Yields a tag with the usual quotes: `<use tool="edit">` for `<use tool='edit'>`."""
        other = mark.translate(_OTHER_QUOTES)
        start = text.find(other) if mark[0] == "<" and other != mark else -1
        end = text.find(">", start, start + _NEAR) + 1 if start >= 0 else 0
        if end:
            yield text[start:end].translate(_OTHER_QUOTES), start, end

    def _is_part(self, mark: str, text: str, start: int, end: int) -> bool:
        """Whether the text that resembles a mark is part of another, undamaged mark."""
        written = text[start:end]
        return any(
            written in each and text.find(each, max(0, end - len(each)), start + len(each)) >= 0
            for each in self._marks
            if not mark.startswith(each)
        )


class MarksOfCalls(_Marks):
    """The marks of one format that are part of its calls."""

    def __init__(self, marks: Iterable[str], opener: re.Pattern[str]) -> None:
        """Takes the marks, and the expression of the openers of calls and of their sections."""
        super().__init__(marks)
        self._opener = opener

    def mended(self, text: str) -> Iterator[MendedMark]:
        """Yields the ways to repair one mark of a text so that a call opens there."""
        likely = self._likely(text)
        if not likely:
            return
        opened = self._opener.search(text)
        seen: set[str] = set()
        for mark, start, end in islice(self._near(likely, text), _MOST):
            mended = _put_right(text, mark, start, end)
            # Either an opener precedes the mark, or the mark itself opens the call.
            if not (opened is not None and start - mended.place <= opened.start() < start):
                found = self._opener.search(mended.text, 0, mended.end + _NEAR)
                if found is None or found.start() >= mended.end:
                    continue
            # In `Actoin:` the repairs of the marks `Action` and `Action:` give the same text.
            if mended.text not in seen:
                seen.add(mended.text)
                yield mended


class MarksOfAny(_Marks):
    """The marks of many formats: any text resembles some, so only slight damage counts."""

    def mended(self, text: str, stretches: Iterable[tuple[int, int]]) -> Iterator[MendedMark]:
        """Yields the ways to repair one mark in stretches of a text, the least damaged ones first.

        Whether a call opens there is not known; reading shows it.
        """
        found = {
            (mark, first + start, first + end)
            for first, last in stretches
            for mark, start, end in self._near(self._likely(text[first:last]), text[first:last])
        }
        ranked = sorted((distance(m, text[a:b]), -len(m), a, b, m) for m, a, b in found)
        seen: set[str] = set()
        for _, _, start, end, mark in ranked[:_MOST]:
            mended = _put_right(text, mark, start, end, is_of_calls=is_of_any_call(mark))
            if mended.text not in seen:
                seen.add(mended.text)
                yield mended

    def _may_be(self, mark: str, text: str, start: int, end: int) -> bool:
        written = text[start:end]
        visible = written.strip()
        # ` to`, the rest of ` to=`, is a word of prose; an indented fence is not damaged.
        is_other = visible.isalnum() or visible == mark.strip()
        # `action:` is the end of another word, as in `transaction:`.
        is_other = is_other or continues_word(text, start)
        return not is_other and is_within(most_damaged(mark), mark, written)


def _put_right(
    text: str, mark: str, start: int, end: int, *, is_of_calls: bool = True
) -> MendedMark:
    """Returns a part of a text in which a mark replaces the text between two offsets."""
    first = max(0, start - _NEAR)
    mended = f"{text[first:start]}{mark}{text[end : end + _BEHIND]}"
    place = start - first
    stop = place + len(mark)
    return MendedMark(start, text[start:end], mended, place, stop, first == 0, is_of_calls)


def _is_word(mark: str) -> bool:
    return mark.strip().replace("_", "").isalnum()


def _is_fence(mark: str, text: str, start: int, end: int) -> bool:
    """Whether the text that resembles a mark is the fence of another block, or part of one."""
    written = text[start:end]
    if not written.strip("`\n"):
        around = (text[start - 1 : start], text[end : end + 1])
        return len(written.strip()) >= LEAST or "`" in around
    # The last backticks of a longer fence are not a fence.
    before = text[max(0, start - _MOST) : start]
    fence = _FENCE.match(text, start - len(before) + len(before.rstrip("`")))
    if fence is None:
        return False
    # `java` is not a damaged `json` but another language; a fence without a word is undamaged, too.
    word, found = mark.strip("`\r\n {"), fence[1][: 2 * len(mark)]
    # `jsjson` is the word with a part repeated.
    is_repeated = len(word) > MOST and word in found and len(found) <= len(word) + MOST
    return not is_repeated and distance(word, found) > (len(word) > 1)

"""Keeps the text that was fed, so that any slice of it can be read again in linear time.

Example: after `append("Hi <to")` and `append("ol>")`, `slice(3, 9)` is `<tool>`.
"""

from __future__ import annotations

import sys
from bisect import bisect_right

_BLOCK = 2048
"""The number of characters at which the last chunks are joined into a block, to save memory."""
_LONG = 1024
"""The length of a chunk that is kept as a block of its own, since callers may hold its string."""


class Source:
    """The text of a message in blocks, and the offset of each block."""

    def __init__(self, limit: int = sys.maxsize) -> None:
        self.limit = limit
        """The most characters that the message may have; `room` is negative if it has more."""
        self.prefix = ""
        """The text before the message, which the chat template wrote."""
        self._blocks: list[str] = []
        self._starts: list[int] = []
        self._joined = 0
        """The number of characters in the blocks."""
        self.tail: list[str] = []
        """The last chunks, which are not in a block yet."""
        self.mark = self.room = min(_BLOCK, limit)
        """The length of the text when `room` reaches 0; the text has `mark - room` characters."""

    def stand_behind(self, prefix: str) -> None:
        """Sets the text before the message, which is read but is not part of the message."""
        self.prefix = prefix

    def written(self, start: int, end: int) -> str:
        """Returns the text between two offsets, of which the first may be in the prefix."""
        # Negative offsets count from the end of the prefix: in the prefix `<think>` the `<` is at
        # -7. With an end of 0 or more all of the rest of the prefix is included, hence `or None`.
        before = self.prefix[start : min(end, 0) or None] if start < 0 else ""
        return before + self.slice(start, end)

    @property
    def length(self) -> int:
        """The number of characters so far."""
        return self.mark - self.room

    @property
    def last(self) -> str:
        """The last character, or an empty string."""
        return self.tail[-1][-1:] if self.tail else self.slice(self.length - 1, self.length)

    def append(self, chunk: str) -> bool:
        """Adds the next chunk; returns whether the text is within its limit."""
        self.tail.append(chunk)
        self.room -= len(chunk)
        return self.room > 0 or self.settle()

    def settle(self) -> bool:
        """Joins the last chunks; returns whether the text is within its limit."""
        # A long chunk is kept as it is, so that its string is not copied.
        if self.tail and len(self.tail[-1]) >= _LONG:
            last = self.tail.pop()
            self._join()
            self._add(last)
        else:
            self._join()
        length = self._joined
        self.room = min(_BLOCK, self.limit - length)
        self.mark = length + self.room
        return self.room >= 0

    def _join(self) -> None:
        if self.tail:
            self._add("".join(self.tail))
            self.tail.clear()

    def _add(self, block: str) -> None:
        if block:
            self._blocks.append(block)
            self._starts.append(self._joined)
            self._joined += len(block)

    def text(self) -> str:
        """Returns the whole text."""
        self._join()
        if len(self._blocks) != 1:
            self._blocks, self._starts = ["".join(self._blocks)], [0]
        return self._blocks[0]

    def slice(self, start: int, end: int) -> str:
        """Returns the characters from `start` to before `end`, as far as there are any."""
        length = self.mark - self.room
        # Offsets below 0 are those of the prefix, which is no part of the text.
        start, end = max(start, 0), min(end, length)
        if start >= end:
            return ""
        # A short message is one string: joining it costs less than looking for its blocks.
        if length <= _BLOCK:
            return self.text()[start:end]
        if end > self._joined:
            self._join()
        first = bisect_right(self._starts, start) - 1
        last = bisect_right(self._starts, end - 1) - 1
        base = self._starts[first]
        if first == last:
            return self._blocks[first][start - base : end - base]
        head, rest = (
            self._blocks[first][: start - base],
            self._blocks[last][end - self._starts[last] :],
        )
        inner = self._blocks[first + 1 : last]
        begin = self._blocks[first][start - base :]
        piece = "".join((begin, *inner, self._blocks[last][: end - self._starts[last]]))
        # The caller keeps the piece, so it becomes a block here: one string serves both.
        kept = [(base, head), (start, piece), (end, rest)]
        self._blocks[first : last + 1] = [block for _, block in kept if block]
        self._starts[first : last + 1] = [place for place, block in kept if block]
        return piece

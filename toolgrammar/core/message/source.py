"""Keeps the text that was fed, so that any part of it can be taken out again in linear time."""

from __future__ import annotations

import sys
from bisect import bisect_right

_BLOCK = 2048
"""Characters in chunks that are kept before they are joined: one of four weighs over fifty bytes."""
_LONG = 1024
"""Characters of a chunk that is a block as it stands: others may hold the same string."""


class Source:
    """The text of a message in blocks, and where each begins."""

    def __init__(self, limit: int = sys.maxsize) -> None:
        self.limit = limit
        """Characters that the message may have: where it has more, `room` is below 0."""
        self.prefix = ""
        """What stands before the message: the template of the chat had written some of it."""
        self._blocks: list[str] = []
        self._starts: list[int] = []
        self._joined = 0
        """Characters in the blocks."""
        self.tail: list[str] = []
        """The last chunks, which are in no block yet."""
        self.mark = self.room = min(_BLOCK, limit)
        """How long the text is where `room` comes to 0: it has `mark - room` characters."""

    def stand_behind(self, prefix: str) -> None:
        """Takes what stands before the message; it is read, and no part of it."""
        self.prefix = prefix

    def written(self, start: int, end: int) -> str:
        """Returns what stands between two offsets, of which the first may lie in the prefix."""
        # Offsets below 0 count from the end of the prefix: with the prefix `<think>` its `<` is at
        # -7. An end of 0 or more takes all of it, hence `or None`.
        before = self.prefix[start : min(end, 0) or None] if start < 0 else ""
        return before + self.slice(max(0, start), max(0, end))

    @property
    def length(self) -> int:
        """The characters so far."""
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
        """Returns the characters from `start` to before `end`."""
        length = self.mark - self.room
        end = min(end, length)
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
        # Who asked keeps the piece: one string serves both.
        kept = [(base, head), (start, piece), (end, rest)]
        self._blocks[first : last + 1] = [block for _, block in kept if block]
        self._starts[first : last + 1] = [place for place, block in kept if block]
        return piece

"""Keeps the text that was fed, so that any part of it can be taken out again in linear time."""

from __future__ import annotations

from bisect import bisect_right


class Source:
    """The chunks of a message and where each begins."""

    __slots__ = ("_chunks", "_starts", "length")

    def __init__(self) -> None:
        self._chunks: list[str] = []
        self._starts: list[int] = []
        self.length = 0

    def append(self, chunk: str) -> None:
        """Adds the next chunk."""
        if chunk:
            self._chunks.append(chunk)
            self._starts.append(self.length)
            self.length += len(chunk)

    def text(self) -> str:
        """Gives the whole text."""
        if len(self._chunks) > 1:
            self._chunks = ["".join(self._chunks)]
            self._starts = [0]
        return self._chunks[0] if self._chunks else ""

    def slice(self, start: int, end: int) -> str:
        """Gives the characters from `start` to before `end`."""
        if start >= end:
            return ""
        first = bisect_right(self._starts, start) - 1
        last = bisect_right(self._starts, end - 1) - 1
        base = self._starts[first]
        if first == last:
            return self._chunks[first][start - base : end - base]
        return "".join(self._chunks[first : last + 1])[start - base : end - base]

"""Keeps the text that was fed, so that any slice of it can be read again in linear time.

Example: after `append("Hi <to")` and `append("ol>")`, `slice(3, 9)` is `<tool>`. A piece of four
characters takes over fifty bytes as an object of its own, so pieces are joined into one block when
there are many.
"""

from __future__ import annotations

import sys
from bisect import bisect_right

from toolgrammar.values.patterns import late
from toolgrammar.values.spans import Span

MOST = 512
"""The number of small pieces that are kept before they are joined."""


class Pieces:
    """A text that grows at its end."""

    def __init__(self) -> None:
        self._blocks: list[str] = []
        self.tail: list[str] = []
        """The last pieces; a hot loop adds them here, and calls `settle` now and then."""

    def __bool__(self) -> bool:
        return bool(self.tail or self._blocks)

    def append(self, piece: str) -> None:
        """Adds the next piece."""
        self.tail.append(piece)
        # One string for each token of a long text would take many times the memory of the text.
        if len(self.tail) > MOST:
            self.settle()

    def settle(self) -> None:
        """Joins the last pieces."""
        self._blocks.append("".join(self.tail))
        self.tail.clear()

    def take(self) -> str:
        """Returns the whole text and removes it from here."""
        blocks, self._blocks = [*self._blocks, *self.tail], []
        self.tail = []
        return "".join(blocks)

    def text(self) -> str:
        """Returns the whole text."""
        return "".join((*self._blocks, *self.tail))


class SkippedText:
    """The span of text between two calls of a section, which belongs to no call."""

    def __init__(self) -> None:
        self.start = self.end = -1

    def add(self, text: str, offset: int) -> None:
        """Adds a piece."""
        body = text.strip()
        if body:
            # The span grows over several chunks, and begins and ends without white space, so that
            # it does not depend on the cuts.
            start = offset + text.index(body[0])
            first = start if self.start < 0 else self.start
            self.start, self.end = first, start + len(body)

    def take(self) -> Span | None:
        """Returns the span of the text and forgets it; None if there is none."""
        span = Span(self.start, self.end) if self.start >= 0 else None
        self.forget()
        return span

    def forget(self) -> None:
        """Forgets what was added."""
        self.start = -1


class Parts:
    """The parts of a text from several places in the source, which can be rewound to a checkpoint."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.offsets: list[int] = []
        """The offset of each part in the source; negative if it is not known."""
        self._floor = 0
        """The number of parts at the beginning that are not joined any more."""
        self._room = MOST  # The number of parts at which they are joined.

    def __bool__(self) -> bool:
        return bool(self.texts)

    def append(self, text: str, offset: int = -1) -> None:
        """Adds the next part."""
        self.texts.append(text)
        self.offsets.append(offset)
        if len(self.texts) > self._room:
            self._join()

    def _join(self) -> None:
        """Joins those of the last parts that are adjacent in the source."""
        runs: list[list[str]] = []
        places: list[int] = []
        # No part has this offset: -1 is that of a part whose place is not known.
        end = -2
        for place, text in zip(self.offsets[self._floor :], self.texts[self._floor :], strict=True):
            # Parts that are not adjacent are kept apart, as a call stands between them.
            if place != end:
                runs.append([])
                places.append(place)
            runs[-1].append(text)
            end = place + len(text) if place >= 0 else -1  # Parts without a place join each other.
        self.texts[self._floor :] = ["".join(run) for run in runs]
        self.offsets[self._floor :] = places
        self._floor = len(self.texts)
        self._room = self._floor + MOST

    def checkpoint(self) -> int:
        """Returns the number of parts so far, for `rewind`."""
        # A checkpoint counts parts, so those before it must not be joined with later ones.
        self._floor = len(self.texts)
        return self._floor

    def rewind(self, checkpoint: int) -> None:
        """Removes the parts that were added after a checkpoint."""
        del self.texts[checkpoint:], self.offsets[checkpoint:]
        self._floor = checkpoint

    def stretches(self) -> list[tuple[int, str]]:
        """Returns the text joined into stretches of the source, each with its offset.

        Parts whose place is not known are omitted.
        """
        found: list[tuple[int, list[str]]] = []
        end = -1
        for offset, text in zip(self.offsets, self.texts, strict=True):
            if offset < 0:
                continue  # the payload of an envelope: its own markup would have closed it
            if offset != end or not found:
                found.append((offset, []))
            found[-1][1].append(text)
            end = offset + len(text)
        return [(offset, "".join(pieces)) for offset, pieces in found]

    def stripped(self) -> str:
        """Returns the whole text without outer white space.

        It is not joined first and stripped then, which would copy a long text twice.
        """
        first, stop = 0, len(self.texts)
        # Only the first and the last part with text can have outer white space to take off.
        while first < stop and not self.texts[first].strip():
            first += 1
        while first < stop and not self.texts[stop - 1].strip():
            stop -= 1
        inner = self.texts[first:stop]
        if inner:
            inner[0] = inner[0].lstrip()
            inner[-1] = inner[-1].rstrip()
        return "".join(inner)


_BLOCK = 2048
"""The number of characters at which the last chunks are joined into a block, to save memory."""
_TAG = late(r"<[^<>\n]{1,64}>|\[/?[A-Z_]{1,64}\]")
_LONG = 1024
"""The length of a chunk that is kept as a block of its own, since callers may hold its string."""


class Source:
    """The text of a message in blocks, and the offset of each block."""

    def __init__(self, limit: int = sys.maxsize) -> None:
        self.limit = limit
        """The most characters that the message may have; `room` is negative if it has more."""
        self.origin = 0
        """The offset where the message begins, behind the prefix that the chat template wrote."""
        self.prefix_parts: list[tuple[int, str]] = []
        """The parts of the prefix that were read as text, each with its offset."""
        self.visible_from = 0
        """The offset before which nothing is looked at."""
        self._blocks: list[str] = []
        self._starts: list[int] = []
        self._joined = 0
        """The number of characters in the blocks."""
        self.tail: list[str] = []
        """The last chunks, which are not in a block yet."""
        self.full_at = self.room = min(_BLOCK, limit)
        """The length of the text when `room` reaches 0; the text has `full_at - room` characters."""

    def begin_with_prefix(self, prefix: str) -> None:
        """Begins with a text that is read and is not part of the message."""
        self.origin = len(prefix)
        self.limit += self.origin
        self.full_at = self.room = min(_BLOCK, self.limit)
        self.append(prefix)

    def hide_markup_before(self) -> None:
        r"""Hides the prefix, in which no part of the message begins, up to its last tag.

        So tags such as `<|im_start|>` do not count as text around the message. Words behind the
        last tag still count, since they may quote what follows: `assistant\n`, `They wrote: "`.
        """
        for tag in _TAG.finditer(self.text(), 0, self.origin):
            self.visible_from = tag.end()
        self.prefix_parts = [
            (max(at, self.visible_from), text[max(0, self.visible_from - at) :])
            for at, text in self.prefix_parts
            if at + len(text) > self.visible_from
        ]

    @property
    def length(self) -> int:
        """The number of characters so far."""
        return self.full_at - self.room

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
        self.full_at = length + self.room
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

    def behind_prefix(self, text: str, offset: int) -> tuple[str, int]:
        """Returns the part of a text that is behind the prefix, and the offset of that part.

        The text of a decoded payload has the offset -1, and stands behind the prefix.
        """
        is_before = 0 <= offset < self.origin
        return (text[self.origin - offset :], self.origin) if is_before else (text, offset)

    def split_prefix(self, text: str, offset: int) -> tuple[str, int]:
        """Returns what `behind_prefix` returns; adds the part before that to `prefix_parts`."""
        if not 0 <= offset < self.origin:
            return text, offset
        self.prefix_parts.append((offset, text[: self.origin - offset]))
        return self.behind_prefix(text, offset)

    def message(self) -> str:
        """Returns the text of the message."""
        return self.text()[self.origin :]

    def text(self) -> str:
        """Returns the whole text, with the prefix that the chat template wrote."""
        self._join()
        if len(self._blocks) != 1:
            self._blocks, self._starts = ["".join(self._blocks)], [0]
        return self._blocks[0]

    def slice(self, start: int, end: int) -> str:
        """Returns the characters from `start` to before `end`, as far as there are any."""
        length = self.full_at - self.room
        start, end = max(start, self.visible_from), min(end, length)
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

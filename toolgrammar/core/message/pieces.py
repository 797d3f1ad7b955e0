"""Collects a long text from small pieces, and joins them into blocks to save memory.

Example: `append("Hi")` and `append(" there")` make the text `Hi there`. A piece of four characters
takes over fifty bytes as an object of its own, so pieces are joined into one block when there are
many.
"""

from __future__ import annotations

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
    """The parts of a text from several places in the source, which can be rewound to a mark."""

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

    def mark(self) -> int:
        """Returns the mark of the current state, for `rewind`."""
        # A mark counts parts, so those before it must not be joined with later ones.
        self._floor = len(self.texts)
        return self._floor

    def rewind(self, mark: int) -> None:
        """Removes the parts that were added after a mark."""
        del self.texts[mark:], self.offsets[mark:]
        self._floor = mark

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

"""Gathers the small pieces of a long text: their order is kept, most of their weight is not.

A piece of four characters takes over fifty bytes as an object of its own. So whenever many are
there, they are joined into one block: the text and a list of blocks are what stays.
"""

from __future__ import annotations

from toolgrammar.values.spans import Span

MOST = 512
"""Small pieces that are kept before they are joined."""


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
        # Joined now and then: one string for each token of a long text would take many times its
        # memory.
        if len(self.tail) > MOST:
            self.settle()

    def settle(self) -> None:
        """Joins the last pieces."""
        self._blocks.append("".join(self.tail))
        self.tail.clear()

    def take(self) -> str:
        """Returns the whole text and keeps none of it."""
        blocks, self._blocks = [*self._blocks, *self.tail], []
        self.tail = []
        return "".join(blocks)

    def text(self) -> str:
        """Returns the whole text."""
        return "".join((*self._blocks, *self.tail))


class SkippedText:
    """Text between the calls of a section, which belongs to nobody."""

    def __init__(self) -> None:
        self.start = self.end = -1

    def add(self, text: str, offset: int) -> None:
        """Adds a piece."""
        body = text.strip()
        if body:
            # The span grows over several chunks, and begins and ends with what is no white space,
            # so that it does not depend on the cuts.
            start = offset + text.index(body[0])
            first = start if self.start < 0 else self.start
            self.start, self.end = first, start + len(body)

    def take(self) -> Span | None:
        """Returns where it stands, once; None where there is none."""
        span = Span(self.start, self.end) if self.start >= 0 else None
        self.forget()
        return span

    def forget(self) -> None:
        """Forgets what was added."""
        self.start = -1


class Parts:
    """The parts of a text that lies scattered in the source, which can be taken back to a mark."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.offsets: list[int] = []
        """Where each part stands in the source; below 0 where that is not known."""
        self._floor = 0
        """Parts before which nothing is joined any more."""
        self._room = MOST  # How many parts may be there before they are joined.

    def __bool__(self) -> bool:
        return bool(self.texts)

    def append(self, text: str, offset: int = -1) -> None:
        """Adds the next part."""
        self.texts.append(text)
        self.offsets.append(offset)
        if len(self.texts) > self._room:
            self._join()

    def _join(self) -> None:
        """Joins the last parts, where they stand side by side."""
        runs: list[list[str]] = []
        places: list[int] = []
        # No part stands there: -1 is the offset of a part whose place is not known.
        end = -2
        for place, text in zip(self.offsets[self._floor :], self.texts[self._floor :], strict=True):
            # Parts that do not touch stay apart: a call stands between them.
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
        """Returns what `rewind` takes to come back to here."""
        # A mark counts parts, so those before it must not be joined with later ones.
        self._floor = len(self.texts)
        return self._floor

    def rewind(self, mark: int) -> None:
        """Drops what came since a mark."""
        del self.texts[mark:], self.offsets[mark:]
        self._floor = mark

    def stretches(self) -> list[tuple[int, str]]:
        """Returns the text in pieces that stand together in the source, each with its offset.

        Parts whose place is not known are left out.
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
        """Returns the whole text without outer white space, and without a copy of it that has some."""
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

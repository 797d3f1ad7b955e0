"""Holds the position in a stream: the functions that read on, and the text that is held back.

Example: of `Sure. <tool` all but `<tool` is emitted; the next chunk is read together with `<tool`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable

    from toolgrammar.core.machine.machine import Step
    from toolgrammar.core.message.source import Source
    from toolgrammar.core.payloads.json.tokens import ChunkMemo
    from toolgrammar.core.shortcuts.stream.stream_message import StreamMessage, Stretches
    from toolgrammar.values.events import Event

WAITS, NEEDS_DRIVER = -1, -2
"""Results of a reading step in place of an index: more text is needed, or the driver is."""
MOST_HELD = 2048
"""The most characters that are held back; if more text is undecided, the driver reads on."""
Leave: TypeAlias = "Callable[[Step, str, int], int]"
"""Ends a payload at an index of a text; returns the index to read on, or `NEEDS_DRIVER`."""

_LOOK_BEHIND = 32
"""The number of characters that are kept before held text, for the look-behinds of openers."""


class Cursor:
    """The position in a stream, between two chunks and within one.

    Each part of the stream reader sets the function that accepts the next chunk (`take_with`) and
    the one that reads on (`read_with`), so that the cursor imports none of them.
    """

    take: Callable[[str], list[Event] | None]
    """Accepts a chunk; returns its events, or None if the driver has to read the message."""
    read: Callable[[str, int], int]
    """Reads on in a text from an index; returns the next index, `WAITS` or `NEEDS_DRIVER`."""
    _is_plain: ChunkMemo[bool]
    """Whether a chunk only continues the text or reasoning that is passed on."""
    _make_event: Callable[[str], Event]
    """Makes the event of such a chunk."""

    def __init__(self, source: Source, message: StreamMessage) -> None:
        self._source = source
        self._message = message
        self.held = ""
        """The end of the text so far, with text that is undecided and some before it."""
        self.position = 0
        """The index in `held` where the undecided text begins."""
        self.base = 0
        """The offset of the text that is read."""
        self.steps = 0
        self._passing: Stretches | None = None
        """The stretches to which chunks that are passed on belong; None if none are."""
        self._passing_from = 0
        """The offset from which chunks are passed on."""

    def take_with(self, take: Callable[[str], list[Event] | None]) -> None:
        """Sets the function that accepts the next chunks."""
        self.take = take

    def read_with(self, read: Callable[[str, int], int]) -> None:
        """Sets the function that reads on."""
        self.read = read

    def release(self) -> None:
        """Drops the two functions, which refer to the cursor themselves; the driver reads on."""
        self.take, self.read = _takes_none, _reads_none

    # Reading on

    def go_on(self, chunk: str) -> list[Event] | None:
        """Accepts a chunk and reads it together with the text that is held back."""
        return self.advance(chunk, self.held + chunk, self.position)

    def advance(self, chunk: str, text: str, position: int) -> list[Event] | None:
        """Adds a chunk and reads on from an index of a text that ends with it.

        Returns:
            The events that are certain; None if the driver has to read the message.
        """
        if not self._source.append(chunk):
            return None
        return self._message.told() if self.run(text, position) else None

    def run(self, text: str, position: int) -> bool:
        """Reads on from an index until more text is needed; False if the driver has to read on."""
        self.stand_in(text)
        steps = self.steps
        while position >= 0:
            steps += 1
            position = self.read(text, position)  # It may set `read`.
        self.steps = steps
        return position == WAITS

    def stand_in(self, text: str) -> None:
        """Sets the offset of a text that is read, with which the source ends."""
        source = self._source
        self.base = source.full_at - source.room - len(text)

    # Holding back

    def hold(
        self, text: str, position: int, take: Callable[[str], list[Event] | None] | None = None
    ) -> int:
        """Holds a text back from an index on, with some text before it for look-behinds.

        Args:
            text: the text.
            position: the index.
            take: the function that accepts the next chunk; `go_on` if it is None.

        Returns:
            `WAITS`, or `NEEDS_DRIVER` if too much text would be held back.
        """
        length = len(text) - position
        if position > _LOOK_BEHIND:
            text, position = text[position - _LOOK_BEHIND :], _LOOK_BEHIND
        self.held, self.position = text, position
        self.take = take or self.go_on
        return WAITS if length <= MOST_HELD else NEEDS_DRIVER

    def hold_on(self, chunk: str) -> bool:
        """Adds a chunk to the held text; returns False if the message is too long now."""
        self.held += chunk
        return self._source.append(chunk)

    def hold_nothing(self) -> None:
        """Notes that no text is undecided."""
        self.held, self.position = "", 0

    # Passing on

    def pass_on(
        self,
        stretches: Stretches,
        is_plain: ChunkMemo[bool],
        make_event: Callable[[str], Event],
    ) -> None:
        """Emits the next chunks as they come, as long as they only continue text that was emitted.

        Args:
            stretches: the stretches to which the chunks belong.
            is_plain: whether a chunk only continues the text.
            make_event: makes the event of a chunk.
        """
        self.held, self.position = "", 0
        self._passing, self._passing_from = stretches, self._source.length
        self._is_plain, self._make_event = is_plain, make_event
        self.take = self._take_plain

    def _take_plain(self, chunk: str) -> list[Event] | None:
        """Accepts a chunk of text or reasoning when nothing is held back."""
        source = self._source
        if not self._is_plain[chunk]:
            self.settle()
            # Look-behinds need the character before.
            last = source.last
            return self.advance(chunk, last + chunk, len(last))
        if not source.append(chunk):
            # The text is too long with this chunk, which was not emitted.
            assert self._passing is not None
            self._passing.add(self._passing_from, source.length - len(chunk))
            self._passing = None
            return None
        return [self._make_event(chunk)]

    def settle(self) -> None:
        """Adds the chunks that were passed on to their stretches."""
        passing, source = self._passing, self._source
        if passing is not None:
            passing.add(self._passing_from, source.length)
            self._passing = None


class PayloadReader:
    """The base of the readers of one payload, which set the cursor's functions until its end."""

    def __init__(self, step: Step, cursor: Cursor, message: StreamMessage, leave: Leave) -> None:
        """Makes a reader for one payload.

        Args:
            step: the step of the payload.
            cursor: the position in the stream.
            message: the message that gets the payload.
            leave: the function that ends the payload.
        """
        self._step = step
        self._cursor = cursor
        self._message = message
        self._source = message.source
        self._leave = leave

    @property
    def held(self) -> str:
        """The undecided text that the reader keeps itself."""
        return ""

    def begin(self, text: str, start: int) -> int:
        """Begins at an index; returns the index to read on, `WAITS` or `NEEDS_DRIVER`."""
        raise NotImplementedError


def _takes_none(_chunk: str) -> None:
    """Accepts no chunk: the driver has to read the message."""


def _reads_none(_text: str, _position: int) -> int:
    """Reads nothing, for the same reason."""
    return NEEDS_DRIVER

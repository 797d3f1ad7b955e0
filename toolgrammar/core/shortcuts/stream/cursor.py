"""Keeps the place in a stream: what takes the next chunk, what reads on, and what is held back.

Example: of `Sure. <tool` all but `<tool` is given out; the next chunk is read behind that.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable

    from toolgrammar.core.machine.machine import Step
    from toolgrammar.core.message.source import Source
    from toolgrammar.core.payloads.json.chunk_memo import ChunkMemo
    from toolgrammar.core.shortcuts.stream.stream_message import StreamMessage
    from toolgrammar.core.shortcuts.stream.stretches import Stretches
    from toolgrammar.values.events import Event

WAITS, NEEDS_DRIVER = -1, -2
"""What a step of the reading gives instead of an index: more text is needed, or the driver."""
MOST_HELD = 2048
"""Characters that are held back: where more is undecided, the driver reads on."""
Leave: TypeAlias = "Callable[[Step, str, int], int]"
"""Ends a payload at an index of a text; returns where to read on, or `NEEDS_DRIVER`."""

_LOOK_BEHIND = 32
"""Characters before what is held back: an opener shows what is none by what stands before it."""


class Cursor:
    """The place in a stream between two chunks, and within one.

    Each part of the stream reader sets what takes the next chunk (`take_with`) and what reads on
    (`read_with`); so the cursor knows none of them.
    """

    take: Callable[[str], list[Event] | None]
    """Takes a chunk; returns its events, or None where the driver has to read the message."""
    read: Callable[[str, int], int]
    """Reads on in a text from an index; returns the next index, `WAITS` or `NEEDS_DRIVER`."""
    _is_plain: ChunkMemo[bool]
    """Whether a chunk only goes on where text or reasoning is passed on."""
    _make_event: Callable[[str], Event]
    """Makes the event of such a chunk."""

    def __init__(self, source: Source, message: StreamMessage) -> None:
        self._source = source
        self._message = message
        self.held = ""
        """The end of the text so far, of which something is undecided."""
        self.position = 0
        """Where in `held` that begins."""
        self.base = 0
        """Offset of the text that is read."""
        self.steps = 0
        self._passing: Stretches | None = None
        """What the chunks that come are stretches of, as long as they only go on."""
        self._passing_from = 0
        """Offset from which they are."""

    def take_with(self, take: Callable[[str], list[Event] | None]) -> None:
        """Has the next chunks taken by this."""
        self.take = take

    def read_with(self, read: Callable[[str, int], int]) -> None:
        """Has what follows read by this."""
        self.read = read

    def release(self) -> None:
        """Drops who takes and reads: they refer to the cursor themselves."""
        del self.take, self.read

    # Reading on

    def go_on(self, chunk: str) -> list[Event] | None:
        """Takes a chunk behind what is held back."""
        return self.advance(chunk, self.held + chunk, self.position)

    def advance(self, chunk: str, text: str, position: int) -> list[Event] | None:
        """Adds a chunk and reads on from an index of a text that ends with it.

        Gives the events that are certain, or None where the driver has to read the message.
        """
        if not self._source.append(chunk):
            return None
        return self._message.told() if self.run(text, position) else None

    def run(self, text: str, position: int) -> bool:
        """Reads on from an index to where more text is needed; false where the driver must."""
        self.stand_in(text)
        steps = self.steps
        while position >= 0:
            steps += 1
            position = self.read(text, position)  # It may set `read`.
        self.steps = steps
        return position == WAITS

    def stand_in(self, text: str) -> None:
        """Notes the text that is read: the source ends with it."""
        source = self._source
        self.base = source.mark - source.room - len(text)

    # Holding back

    def hold(
        self, text: str, position: int, take: Callable[[str], list[Event] | None] | None = None
    ) -> int:
        """Holds a text back from an index on, with what stands before it for look-behinds.

        Args:
            text: the text.
            position: the index.
            take: takes the next chunk, where that is not just read on behind what is held.
        """
        length = len(text) - position
        if position > _LOOK_BEHIND:
            text, position = text[position - _LOOK_BEHIND :], _LOOK_BEHIND
        self.held, self.position = text, position
        self.take = take or self.go_on
        return WAITS if length <= MOST_HELD else NEEDS_DRIVER

    def hold_on(self, chunk: str) -> bool:
        """Holds a chunk back with what is held; false where the message is too long now."""
        self.held += chunk
        return self._source.append(chunk)

    def hold_nothing(self) -> None:
        """Notes that all so far is decided."""
        self.held, self.position = "", 0

    # Passing on

    def pass_on(
        self,
        stretches: Stretches,
        is_plain: ChunkMemo[bool],
        make_event: Callable[[str], Event],
    ) -> None:
        """Takes the next chunks at once, as long as they only go on: all so far was given out."""
        self.held, self.position = "", 0
        self._passing, self._passing_from = stretches, self._source.length
        self._is_plain, self._make_event = is_plain, make_event
        self.take = self._take_plain

    def _take_plain(self, chunk: str) -> list[Event] | None:
        """Takes a chunk of text or reasoning where nothing is held back."""
        source = self._source
        if not self._is_plain[chunk]:
            self.settle()
            # One character before, for look-behinds.
            last = source.last
            return self.advance(chunk, last + chunk, len(last))
        if not source.append(chunk):
            # With this chunk the text is too long: it was not given out.
            assert self._passing is not None
            self._passing.add(self._passing_from, source.length - len(chunk))
            self._passing = None
            return None
        return [self._make_event(chunk)]

    def settle(self) -> None:
        """Notes what the chunks that only went on are stretches of."""
        passing, source = self._passing, self._source
        if passing is not None:
            passing.add(self._passing_from, source.length)
            self._passing = None


class PayloadReader:
    """Reads one payload; while it lasts, it sets what takes the chunks and what reads on."""

    def __init__(self, step: Step, cursor: Cursor, message: StreamMessage, leave: Leave) -> None:
        """Makes a reader for one payload.

        Args:
            step: what reading the payload does.
            cursor: the place in the stream.
            message: takes what is read.
            leave: ends the payload.
        """
        self._step = step
        self._cursor = cursor
        self._message = message
        self._source = message.source
        self._leave = leave

    @property
    def held(self) -> str:
        """What it keeps of the text itself, since something of that is undecided."""
        return ""

    def begin(self, text: str, start: int) -> int:
        """Begins at an index of a text; returns where to read on, `WAITS` or `NEEDS_DRIVER`."""
        raise NotImplementedError

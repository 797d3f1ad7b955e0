"""Holds what is known of the raw payload that is read, between two chunks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from toolgrammar.core.arguments.raw_values import raws_of

if TYPE_CHECKING:
    from toolgrammar.core.payloads.raw.raw_end import RawEnd
    from toolgrammar.core.state.driver import Driver
    from toolgrammar.core.state.others import ThoughtEnds


class Sibling:
    """The first opener of another argument in a value that is open: see `siblings.py`."""

    def __init__(self) -> None:
        self.forget()

    def forget(self) -> None:
        """Notes that none is open."""
        self.offset = -1
        """Where it begins in the source; -1 where none is open."""
        self.begins = False
        """Whether the tool's schema has its key, and it was not given yet."""
        self.text = ""

    def note(self, offset: int, text: str, *, begins: bool) -> None:
        """Notes one."""
        self.offset, self.begins, self.text = offset, begins, text


class Lines(Protocol):
    """What finds, in reasoning, lines that begin as the calls of any of several formats do."""

    def look(self, reader: RawReader, stop: int) -> int:
        """Notes the lines before an index that may be calls; returns where it is sure."""


class RawReader:
    """The state of one raw payload between two chunks."""

    def __init__(
        self,
        driver: Driver,
        end: RawEnd,
        start: int,
        others: ThoughtEnds[Driver] | None,
        lines: Lines | None,
    ) -> None:
        self.driver = driver
        self.end = end
        self.searched = start
        """Index in the driver's buffer up to which no closer was found."""
        self.begins_here = False  # whether what may become one begins there
        self.held: list[str] | None = None
        """What stands behind a closer that paired with a quoted opener; None before the first."""
        self.islands: list[int] = []  # offsets of the openers of calls in reasoning
        self.mended = False
        """Whether something else than the payload's own closer ends it."""
        self.near = ""
        """The word that ends the value in place of the one of its closer."""
        self.unended = False
        """Whether that is a closer of the call."""
        self.last_closer = -1
        """Offset of the last such closer."""
        self.shared = False
        """Whether a closer that may be the payload's own paired with a quoted opener."""
        self.sibling = ""
        """What looks like the opener of another argument inside the value."""
        self.fences = 0
        """Blocks of code that are open inside a block."""
        self.quoted: list[str] = []
        """Names of the calls that are quoted and open."""
        self.strays: list[tuple[str, int, bool]] = []
        """The value's own closers that pair with nothing in it, each with the offset behind it."""
        self.values_open = 0
        """How often the value's own opener is quoted and open."""
        self.others_open = 0
        """How often that of another value is."""
        self.begun = Sibling()
        """The opener of another argument that nothing closes so far."""
        self.others = others
        """What ends reasoning in the other formats that the message may be written in."""
        self.lines = lines

    def moved(self, by: int) -> None:
        """Notes that the first characters of the driver's buffer were dropped."""
        self.searched -= by

    def give(self, end: int) -> None:
        """Gives out what stands before an index, or adds it to what is held back."""
        driver = self.driver
        if end > driver.position:
            piece = driver.buffer[driver.position : end]
            # What stands in the prefix was the template's to write, and is no part of the value.
            if driver.base + driver.position < 0:
                piece = piece[-(driver.base + driver.position) :]
            if self.held is None:
                raws_of(driver.builder).take(piece)
            else:
                self.held.append(piece)
            driver.move_to(end)

    def let_go(self) -> None:
        """Gives out what was held back."""
        if self.held is not None:
            raws_of(self.driver.builder).take("".join(self.held))
            self.held = None

    def hold_back(self, place: int) -> None:
        """Gives out what stands before an index; what follows is held back."""
        self.give(place)
        self.held = []

    def hold_from(self, closer: int) -> None:
        """Remembers a closer that paired with a quoted opener: it counts if no other comes."""
        self.give(closer)
        if self.held is None:
            self.held = []
        self.last_closer = self.driver.base + closer

    def wait_here(self, *, begins: bool) -> None:
        """Notes whether what may become a closer begins where the search stands."""
        self.begins_here = begins

    def note_sibling(self, opener: str) -> None:
        """Notes what looks like the opener of another argument; the first one counts."""
        # The first is where the value would have ended, had its closer not been lost.
        self.sibling = self.sibling or opener

    def end_mended(self, *, by_call: bool = False) -> None:
        """Notes that something else than the own closer ends the value, as that of the call."""
        self.mended = True
        self.unended = self.unended or by_call

    def end_near(self, word: str) -> None:
        """Notes the word that ends the value in place of the one of its closer."""
        self.near = word

    def share_closer(self) -> None:
        """Notes that a closer that may be the value's own paired with a quoted opener."""
        self.shared = True

    def open_fence(self) -> None:
        """Counts a block of code that opens inside a block."""
        self.fences += 1

    def close_fence(self) -> None:
        """Counts one that closes."""
        self.fences -= 1

    def open_value(self) -> None:
        """Counts a quoted opener of the value itself."""
        self.values_open += 1

    def close_value(self) -> None:
        """Counts the closer that pairs with it."""
        self.values_open -= 1

    def open_other(self) -> None:
        """Counts a quoted opener of another value."""
        self.others_open += 1

    def close_other(self) -> bool:
        """Counts the closer that pairs with it; returns whether none is open any more."""
        self.others_open -= 1
        return not self.others_open

    def leave_to_sibling(self) -> None:
        """Ends the value before the opener of another argument, which nothing closes."""
        self.held, self.sibling, self.mended = None, "", True

    def drop_held(self) -> list[str]:
        """Returns what was held back, and forgets it."""
        held, self.held = self.held or [], None
        return held

    def look_from(self, place: int) -> None:
        """Notes that no closer stands before an index of the buffer."""
        self.searched = place


def raw_of(driver: Driver) -> RawReader:
    """Returns the reader of the raw payload that is read."""
    reader = driver.payload.raw
    assert isinstance(reader, RawReader)
    return reader

"""Holds the state of the open raw payload between two chunks.

Example: in `a <parameter=p>b</parameter> c`, inside the value of `p`, one quoted opener was opened
and closed, and no closer ends the value so far. If the value lacks its closer, the opener of
another argument ends it: of `<parameter=a>`, `1`, `<parameter=b>`, `2`, `</parameter>`, each on a
line of its own, `a` is 1 and `b` is 2. A value that only quotes an opener contains its closer as
well.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple, Protocol

from toolgrammar.core.arguments.raw_values import raws_of
from toolgrammar.grammar.roles import PROSE_ROLES

if TYPE_CHECKING:
    import re

    from toolgrammar.core.payloads.raw.raw_end import RawEnd
    from toolgrammar.core.state.driver import Driver
    from toolgrammar.core.state.protocols import ThoughtEnds

LINE: Final = 128
"""The number of characters before an opener in which words of its line are searched."""


class Sibling(NamedTuple):
    """An opener of another argument in a value."""

    offset: int
    """Its offset in the source."""
    text: str
    begins: bool
    """Whether the tool has an argument with its key that was not given yet."""


class StrayCloser(NamedTuple):
    """A closer that may be the value's own, and that nothing in the value opens."""

    text: str
    end: int
    """The offset after it."""
    sure: bool
    """Whether it can only be the value's own."""


class LineSearch(Protocol):
    """The search for lines in reasoning that begin like the calls of any of several formats."""

    def look(self, reader: RawReader, stop: int) -> int:
        """Notes lines before an index that may be calls; returns the index that it has reached."""


class RawReader:
    """The state of one raw payload between two chunks."""

    def __init__(
        self,
        driver: Driver,
        raw_end: RawEnd,
        start: int,
        other_formats: ThoughtEnds[Driver] | None,
        line_openers: LineSearch | None,
    ) -> None:
        self.driver = driver
        self.raw_end = raw_end
        self.searched = start
        """The index in the driver's buffer up to which no closer was found."""
        self.begins_closer = False  # whether the text at that index may become a closer
        self.held: list[str] | None = None
        """The text that is held back, in pieces; None if none is."""
        self.call_openers: list[int] = []  # their offsets in reasoning, in ascending order
        self.lacks_closer = False
        """Whether the payload ends at something else than its own closer."""
        self.ended_by_call = False
        """Whether a closer of the call ends the value."""
        self.last_closer = -1
        """The offset of the last closer that was paired with the opener of a quoted call, or -1."""
        self.shares_closer = False
        """Whether a closer that may be the payload's own was paired with a quoted opener."""
        self.sibling_text = ""
        """The first text in the value that looks like the opener of another argument, or ""."""
        self.own_opener = ""
        """The last opener of the value itself that the value quotes, or ""."""
        self.open_fences = 0
        """The number of code blocks that are open inside a block."""
        self.quoted_calls: list[str] = []
        """The names of quoted calls that are open."""
        self.stray_closers: list[StrayCloser] = []
        self.values_open = 0
        """The number of the value's own openers that are quoted and open."""
        self.others_open = 0
        """The number of openers of other values that are quoted and open."""
        self.open_sibling: Sibling | None = None
        """The first opener of another argument that is open: see `open_other`."""
        self.other_formats = other_formats
        """The ends of reasoning in the other formats that the message may be written in."""
        self.line_openers = line_openers

    def begins_line(self, start: int) -> bool:
        """Whether nothing but white space stands before an index of the buffer in its line."""
        place, raws = self.driver.base + start, raws_of(self.driver.builder)
        # The opener of a thought, which a template may have written, is no text of its line.
        first = max(place - LINE, raws.start if raws.role == "reasoning" else 0)
        before = self.driver.builder.source.slice(first, place)
        return not before.rpartition("\n")[2].strip()

    def shift_by(self, by: int) -> None:
        """Notes that the first characters of the driver's buffer were dropped."""
        self.searched -= by

    def emit_to(self, end: int) -> None:
        """Emits the text before an index, or adds it to the text that is held back."""
        driver = self.driver
        if end > driver.position:
            piece, raws = driver.buffer[driver.position : end], raws_of(driver.builder)
            # The prefix is not part of the text and reasoning of the message, but it is part of a
            # call that begins in it.
            before = driver.builder.source.origin - (driver.base + driver.position)
            if before > 0 and raws.role in PROSE_ROLES:
                piece = piece[before:]
            if self.held is None:
                raws.take(piece)
            else:
                self.held.append(piece)
            driver.move_to(end)

    def advance_to(self, place: int) -> None:
        """Notes that no closer stands before an index; emits the text up to a line that may be a call."""
        self.searched = place
        lines = self.line_openers
        self.emit_to(place if lines is None else lines.look(self, place))

    def release(self) -> None:
        """Emits the text that was held back."""
        if self.held is not None:
            raws_of(self.driver.builder).take("".join(self.held))
            self.held = None

    def hold_back(self, place: int) -> None:
        """Emits the text before an index, and holds the text after it back."""
        self.emit_to(place)
        self.held = []

    def hold_from(self, closer: int) -> None:
        """Notes a closer that was paired with a quoted opener; the last one may end the value."""
        self.emit_to(closer)
        if self.held is None:
            self.held = []
        self.last_closer = self.driver.base + closer

    def note_beginning(self, *, begins_closer: bool) -> None:
        """Sets whether the text at the searched index may become a closer."""
        self.begins_closer = begins_closer

    def note_sibling(self, opener: str) -> None:
        """Notes a text that looks like the opener of another argument; the first one counts."""
        # If the value's closer is missing, the value ended before the first one.
        self.sibling_text = self.sibling_text or opener

    def end_without_closer(self, *, by_call: bool = False) -> None:
        """Notes that the value ends at something else than its own closer, such as the call's."""
        self.lacks_closer = True
        self.ended_by_call = self.ended_by_call or by_call

    def share_closer(self) -> None:
        """Notes that a closer that may be the value's own was paired with a quoted opener."""
        self.shares_closer = True

    def open_fence(self) -> None:
        """Counts a code block that opens inside a block."""
        self.open_fences += 1

    def close_fence(self) -> None:
        """Counts the end of such a block."""
        self.open_fences -= 1

    def open_value(self, opener: str) -> None:
        """Counts a quoted opener of the value itself."""
        self.values_open += 1
        self.own_opener = opener

    def close_value(self) -> None:
        """Counts the closer of such an opener."""
        self.values_open -= 1

    # A value that quotes the opener of an argument has its closer as well. So if the value's closer
    # comes while such an opener is open, the value ended before it, and all openers that are open
    # begin arguments. The text behind the opener is held back until that is known. Only openers
    # with so much markup count that prose hardly mentions them without their closers.

    def open_other(self, match: re.Match[str], *, awaited: bool) -> None:
        """Counts an opener of another value; holds back the text after it if its key is awaited."""
        # The first opener is enough, and an opener inside a quoted value belongs to the quotation.
        is_first = self.open_sibling is None and not (self.others_open or self.values_open)
        is_markup = self.raw_end.tagged and not self.raw_end.call_closes_alone
        if is_first and is_markup and self.driver.island < 0:
            place = match.start()
            self.open_sibling = Sibling(self.driver.base + place, match.group(), awaited)
            if awaited:
                self.hold_back(place)
        self.others_open += 1

    def close_other(self) -> None:
        """Counts the closer of such an opener, and forgets the first one if none is open."""
        self.others_open -= 1
        if not self.others_open:
            begun, self.open_sibling = self.open_sibling, None
            if begun is not None and begun.begins:
                self.release()

    def step_back(self, closer: int) -> int:
        """Returns the index where the value ends: before an open opener, or at the closer's index."""
        driver, begun = self.driver, self.open_sibling
        if begun is None:
            return closer
        # If the tool awaits no such argument, nothing was held back: the value keeps the opener, and
        # is doubted.
        if self.held is None:
            tag = begun.text.rstrip().rpartition("<")[2]
            value = driver.builder.source.slice(begun.offset, driver.base + closer)
            # That argument's closer may be spelled in another way than the value's closer.
            if f"</{tag}" not in value:
                self.note_sibling(begun.text)
            return closer
        draft = driver.builder.draft
        if draft is not None:
            # The text from the opener on is read again, now as an opener without a closer.
            draft.open_values_to(driver.base + closer)
        driver.stand_before("".join(self.held) + driver.buffer[driver.position :], begun.offset)
        self.held, self.sibling_text, self.lacks_closer, self.open_sibling = None, "", True, None
        return driver.position

    def take_held(self) -> list[str]:
        """Returns the text that was held back, and forgets it."""
        held, self.held = self.held or [], None
        return held

    def search_from(self, place: int) -> None:
        """Notes that no closer stands before an index of the buffer."""
        self.searched = place


def raw_of(driver: Driver) -> RawReader:
    """Returns the reader of the driver's open raw payload."""
    reader = driver.payload.raw
    assert isinstance(reader, RawReader)
    return reader


def is_unclosed(driver: Driver, place: int) -> bool:
    """Whether an opener at an index of the buffer is one of those without a closer."""
    draft = driver.builder.draft
    return draft is not None and driver.base + place < draft.unclosed_to

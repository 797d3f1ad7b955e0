"""Declares what the driver needs of its modes, and of the choice among several formats.

Example: in `Hi <tool_call>` the mode `text` emits `Hi `, then the mode `tokens` reads `<tool_call>`;
for `auto`, `Formats.text` emits the text up to the next opener of any format. Modes stand in
`core.driver`, that choice in `core.several`, both above the driver: imports point one way.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, NamedTuple, Protocol, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from toolgrammar.core.machine.machine import Machine, Node
    from toolgrammar.core.message.build import Builder

D = TypeVar("D")
"""The type of the driver, a variable so that this module does not import it."""


class Modes(NamedTuple, Generic[D]):
    """The functions of the modes that the loop calls.

    They are passed in, so that imports point one way. A payload has modes of its own: a scanner for
    JSON, Python and the like (`reading_payloads`), or raw text up to its closer (`raw.reader`).
    """

    text: Callable[[D], bool]
    """Emits text up to the next opener, except a suffix that may still become one."""
    tokens: Callable[[D], bool]
    """Reads one token of an envelope, by one regular expression for each node."""
    finish: Callable[[D], None]
    """Ends the message when its text has ended."""
    give_back: Callable[[D], None]
    """Gives an island back as text that turned out not to be a call."""


class RawMode(Protocol):
    """The raw payload that is read, as far as the driver's state needs it."""

    def shift_by(self, by: int) -> None:
        """Notes that the first characters of the driver's buffer were dropped."""


DriverT_contra = TypeVar("DriverT_contra", contravariant=True)
"""The type of the driver, a variable so that this module does not import it."""


class ThoughtEnds(Protocol[DriverT_contra]):
    """The ends of reasoning in the formats other than the one that is read."""

    def look(self, driver: DriverT_contra, start: int, own: int) -> None:
        """Searches for such an end in the driver's buffer.

        Args:
            driver: the driver.
            start: the index from which it searches.
            own: the index where the format that is read ends the reasoning, or -1.

        Raises:
            FormatMisfit: another format ends the reasoning before.
        """

    # A stream needs this: a suffix that may become such an end is not emitted as reasoning yet.
    def held_from(self, buffer: str, start: int) -> int:
        """Returns the start of the suffix that may become such an end, or -1."""


class AllOpeners(Protocol):
    """The openers of all formats."""

    def begins_at(self, buffer: str, place: int) -> bool:
        """Whether the text from an index to its end may still become an opener."""

    def stands_at(self, buffer: str, place: int) -> bool:
        """Whether an opener stands at an index."""


class Formats(Protocol[DriverT_contra]):
    """The formats that are tried for one message, the one that is read among them."""

    @property
    def in_section(self) -> bool:
        """Whether the open island stands in a section of the format that is read."""

    @property
    def opening_here(self) -> Sequence[object]:
        """All formats that open at the place of the open island, including the one that is read."""

    def enter_section(self) -> None:
        """Notes that an island opened in a section of the format that is read."""

    def feed(self, driver: DriverT_contra, chunk: str, *, final: bool) -> None:
        """Accepts the next chunk of the message, the last one if `final`."""

    def governs(self, node: Node) -> bool:
        """Whether the openers of all formats count at a node."""

    def text(self, driver: DriverT_contra) -> bool:
        """Emits text up to the next opener of any format; False if more text is needed."""

    def opens(self, driver: DriverT_contra, place: int) -> bool | None:
        """Whether an opener of any format stands at an index; None if more text is needed."""

    def read_in_next(self, driver: DriverT_contra, place: int, resume: int) -> bool:
        """Reads an island that was given back in another format; False if no format is left.

        Args:
            driver: the driver, whose builder has taken the island back.
            place: the index where the island began.
            resume: the index before which the format that was read opens nothing.
        """

    def confirm(self, driver: DriverT_contra) -> None:
        """Checks an island that is about to become certain.

        Raises:
            NotACall: the island is not a call of this format, or another format is tried first.
        """

    def other_ends(self, driver: DriverT_contra, node: Node) -> ThoughtEnds[DriverT_contra] | None:
        """Returns the ends that other formats have for the reasoning that begins; None for none."""

    @property
    def openers(self) -> AllOpeners:
        """The openers of all formats."""

    @property
    def start(self) -> Machine:
        """The machine of a message in which no format is chosen yet."""

    @property
    def trying(self) -> bool:
        """Whether an island is read on trial, only to compare the formats."""

    def for_message(self, builder: Builder) -> Formats[DriverT_contra]:
        """Returns the same formats for another message."""

    def settle(self, builder: Builder) -> None:
        """Joins the events of one `feed` of the message."""

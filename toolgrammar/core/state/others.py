"""What the driver asks of the other formats that its message may be written in.

`core.several` chooses among formats and stands above the driver; this names what the driver and its
modes ask of it. A message in one format has no such thing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeVar

if TYPE_CHECKING:
    from collections.abc import Sequence

    from toolgrammar.core.machine.machine import Machine, Node
    from toolgrammar.core.message.build import Builder


DriverT_contra = TypeVar("DriverT_contra", contravariant=True)
"""The driver, which holds one of these: it is named by a variable, so that this imports nothing of it."""


class ThoughtEnds(Protocol[DriverT_contra]):
    """What ends the reasoning that is read in the formats that are not read."""

    def look(self, driver: DriverT_contra, start: int, own: int) -> None:
        """Looks from an index on; `own` is where the format that is read ends it, or -1.

        Raises:
            FormatMisfit: another format ends the reasoning before.
        """

    # For the stream: what may become an end of another format is not given out as reasoning yet.
    def held(self, buffer: str, start: int) -> int:
        """Returns the start of the tail that may become an end, or -1."""


class AllOpeners(Protocol):
    """What all the formats open with."""

    def begins_at(self, buffer: str, place: int) -> bool:
        """Whether what stands at a place, up to the end, may become an opener."""

    def stands_at(self, buffer: str, place: int) -> bool:
        """Whether an opener stands at a place."""


class Others(Protocol[DriverT_contra]):
    """The formats that are tried for one message."""

    @property
    def in_section(self) -> bool:
        """Whether the island that is open stands in a section of the format that is read."""

    @property
    def here(self) -> Sequence[object]:
        """All formats that open at the place of the open island, the one that is read among them."""

    def enter_section(self) -> None:
        """Notes that an island opened in a section of the format that is read."""

    def feed(self, driver: DriverT_contra, chunk: str, *, final: bool) -> None:
        """Takes the next chunk of the message."""

    def governs(self, node: Node) -> bool:
        """Whether openers of all formats count at a node."""

    def text(self, driver: DriverT_contra) -> bool:
        """Emits text up to the next opener of any format; False where more text is needed."""

    def opens(self, driver: DriverT_contra, place: int) -> bool | None:
        """Whether an opener of any format stands at a place; None where more text tells."""

    def again(self, driver: DriverT_contra, place: int, resume: int) -> bool:
        """Reads an island that was given back in another format; False where none is left."""

    def vouch(self, driver: DriverT_contra) -> None:
        """Notes that the island that is open is a call of the format that is read."""

    def other_ends(self, driver: DriverT_contra, node: Node) -> ThoughtEnds[DriverT_contra] | None:
        """Returns what ends the reasoning that begins, in the other formats."""

    @property
    def openers(self) -> AllOpeners:
        """What the formats open with."""

    @property
    def start(self) -> Machine:
        """The machine of a message in which no format is chosen yet."""

    @property
    def trying(self) -> bool:
        """Whether an island is read for a judgement only."""

    def anew(self, builder: Builder) -> Others[DriverT_contra]:
        """Returns the same formats for another message."""

    def settle(self, builder: Builder) -> None:
        """Joins the events of a feed."""

"""One of several formats that a message may be written in, and what all messages share of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

from toolgrammar.core.header import Header
from toolgrammar.core.machine import Machine
from toolgrammar.core.quotes import Quoted
from toolgrammar.core.tables import Tables, Terminal

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from toolgrammar.core.build import Builder
    from toolgrammar.core.machine import Node
    from toolgrammar.core.openers import AnyOpeners
    from toolgrammar.core.quotes import Quote
    from toolgrammar.core.reasoning_ends import ReasoningEnd


class Settings(NamedTuple):
    """What a format tells the builder."""

    format_id: str
    trim: Mapping[str, str]
    wire_roles: Mapping[str, str]
    drop_unknown: bool
    free_text: bool
    header: Header = Header()

    @property
    def needs_tools(self) -> bool:
        """Whether the format reads calls of given tools alone."""
        return self.header.misfit == "text"

    def apply(self, builder: Builder) -> None:
        """Makes the builder build as this format says."""
        builder.format_id = self.format_id
        builder.trim = self.trim
        builder.wire_roles = self.wire_roles
        builder.drop_unknown = self.drop_unknown
        builder.free_text = self.free_text
        builder.header = self.header


def neutral_machine() -> Machine:
    """Makes the machine of a message that is text alone: where the reading of several begins."""
    text = Terminal("TEXT", "payload", "", "", "")
    return Machine(Tables((text,), (), ({-1: (0, 0), 0: (0, 0)},), ({},), ("",), ({},), (), ()))


class Formats(Protocol):
    """What the formats that are read at once share between messages."""

    openers: AnyOpeners
    ends: Sequence[Sequence[ReasoningEnd]]
    """For each format, what ends its reasoning."""

    quotes: Sequence[Sequence[Quote]]
    """For each format, what it quotes."""
    wary: bool
    """Whether nobody chose the formats, so that text about a format is more likely."""

    def load(self, number: int) -> tuple[Machine, Settings]:
        """Gives the machine and the settings of one format."""
        ...


class Alternative:
    """One format that opens somewhere in this message."""

    __slots__ = ("_loaded", "_quoted", "last_call", "node", "number", "resume", "several")

    def __init__(self, number: int, several: Formats) -> None:
        self.number = number
        """Its place in the order of the caller."""
        self.several = several
        self._loaded: tuple[Machine, Settings] | None = None
        self._quoted: Quoted | None = None
        self.node: Node | None = None
        """Where it stands in text; None where it has not read anything yet."""
        self.resume = -(10**9)
        """Offset before which it opens nothing: it read up to there and found no call."""
        self.last_call = -1
        """Index of the last call that was written in it."""

    def quotes(self, builder: Builder, offset: int, free: int) -> bool:
        """Whether the format takes what stands at an offset for an example."""
        found = self.several.quotes[self.number]
        if not found or offset < 0:
            return False
        if self._quoted is None:
            self._quoted = Quoted(found)
        return self._quoted.holds(builder.source, offset, free)

    @property
    def machine(self) -> Machine:
        """The format's machine, loaded when it is asked for."""
        if self._loaded is None:
            self._loaded = self.several.load(self.number)
        return self._loaded[0]

    @property
    def settings(self) -> Settings:
        """What the format tells the builder."""
        if self._loaded is None:
            self._loaded = self.several.load(self.number)
        return self._loaded[1]

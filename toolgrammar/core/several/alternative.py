"""One of several formats that a message may be written in, and what all messages share of it.

Example: of two formats that the caller names each is an alternative, with the node where it stands in text
and its last call.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Protocol

from toolgrammar.core.machine.machine import Machine
from toolgrammar.core.message.quoted import Quoted
from toolgrammar.grammar.tables import Tables
from toolgrammar.grammar.terminals import ANY_TOOL, Terminal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from toolgrammar.core.evidence.signs import SeveralSigns
    from toolgrammar.core.machine.machine import Node, Step
    from toolgrammar.core.message.build import Builder
    from toolgrammar.core.message.quoted import Quote
    from toolgrammar.core.message.settings import Settings
    from toolgrammar.core.several.openers import AnyOpeners
    from toolgrammar.core.several.reasoning_ends import ReasoningEnd


def neutral_machine() -> Machine:
    """Makes the machine of a message that is text alone: where the reading of several begins."""
    text = Terminal("TEXT", "payload", "", "", "")
    # One state, in which text goes on or ends.
    return Machine(Tables((text,), (), ({-1: (0, 0), 0: (0, 0)},), ({},), ("",), ({},), (), ()))


class Formats(Protocol):
    """What the formats that are read at once share between messages."""

    openers: AnyOpeners
    ends: Sequence[Sequence[ReasoningEnd]]
    """For each format, what ends its reasoning."""

    quotes: Sequence[Sequence[Quote]]
    """For each format, what it quotes."""
    start: Machine
    """The machine of a message that is in none of the formats yet."""
    wary: bool
    """Whether the caller left the choice to `auto`, so that text about a format is more likely."""

    around: SeveralSigns
    """What shows in text that a call of any of the formats was written there."""

    def load(self, number: int) -> tuple[Machine, Settings]:
        """Returns the machine and the settings of one format."""
        ...


class Alternative:
    """One format that opens somewhere in this message."""

    def __init__(self, number: int, several: Formats) -> None:
        self.number = number
        """Its place in the order of the caller."""
        self.several = several
        self._quoted: Quoted | None = None
        self.node: Node | None = None
        """Where it stands in text; None where it has not read anything yet."""
        # Below any offset: those of a prefix are negative.
        self.resume = -(10**9)
        """Offset before which it opens nothing: it read up to there and found no call."""
        self.last_call = -1
        """Index of the last call that was written in it."""

    def stand_on(self, node: Node) -> None:
        """Notes where it stands in text."""
        self.node = node

    def resume_at(self, offset: int) -> None:
        """Notes how far it read without a call: before it opens nothing."""
        self.resume = offset

    def note_call(self, index: int) -> None:
        """Notes the last call that was written in it."""
        self.last_call = index

    def quotes(self, builder: Builder, offset: int, free: int) -> bool:
        """Whether the format takes what stands at an offset for an example."""
        found = self.several.quotes[self.number]
        # What the prefix holds was written by the template, not quoted by the model.
        if not found or offset < 0:
            return False
        if self._quoted is None:
            self._quoted = Quoted(found)
        return self._quoted.holds(builder.source, offset, free)

    @cached_property
    def _loaded(self) -> tuple[Machine, Settings]:
        return self.several.load(self.number)

    @property
    def machine(self) -> Machine:
        """The format's machine, loaded when it is asked for."""
        return self._loaded[0]

    @property
    def settings(self) -> Settings:
        """What the format tells the builder."""
        return self._loaded[1]


def puts_in(step: Step) -> bool:
    """Whether a token stands for the name of the only tool there is."""
    return ("name", ANY_TOOL) in step.terminal.constants

"""Holds the state of one of several formats that a message may be written in.

Example: of two formats that the caller names, each is a `TriedFormat`, with the node at which it
reads text and the index of its last call.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Protocol

from toolgrammar.core.machine.machine import Machine
from toolgrammar.core.message.quoted import Quoted
from toolgrammar.grammar.tables import Tables
from toolgrammar.grammar.terminals import ANY_TOOL, Terminal

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from toolgrammar.core.evidence.signs import SeveralSigns, Signs
    from toolgrammar.core.machine.machine import Node, Step
    from toolgrammar.core.message.build import Builder
    from toolgrammar.core.message.quoted import Quote
    from toolgrammar.core.message.settings import Settings
    from toolgrammar.core.several.openers import AnyOpeners
    from toolgrammar.core.several.reasoning_ends import ReasoningEnd
    from toolgrammar.core.shortcuts.whole.shortcut_rules import ShortcutRules


def neutral_machine() -> Machine:
    """Returns the machine of a message that is text alone, before a format is chosen."""
    text = Terminal("TEXT", "payload", "", "", "")
    # It has one state, in which text goes on or ends.
    return Machine(Tables((text,), (), ({-1: (0, 0), 0: (0, 0)},), ({},), ("",), ({},), (), ()))


class Traits(Protocol):
    """What is known of one format before it is loaded."""

    @property
    def takes_input(self) -> bool:
        """Whether a call may carry free text."""
        ...

    @property
    def ends(self) -> Sequence[ReasoningEnd]:
        """The openers of reasoning, with what ends it."""
        ...

    @property
    def quotes(self) -> Sequence[Quote]:
        """The openers of text in which calls of the format are examples, with what ends it."""
        ...


class FormatsToTry(Protocol):
    """The formats that are tried, each known by its index, with what their messages share."""

    is_auto: bool
    """Whether the caller left the choice to `auto`, so that text about a format is more likely."""
    start: Machine
    """The machine of a message for which no format is chosen yet."""
    traits: Sequence[Traits]
    """What is known of each format without its tables."""
    tags: Mapping[str, str]
    """The closers of reasoning, each with its opener."""
    openers: AnyOpeners
    signs: Signs
    """The signs that a call of any of the formats was written in a text."""
    around: SeveralSigns
    """The signs of all formats for text around a call."""
    no_calls: str
    """The name by which one of the formats says that no tool is called."""

    def load(self, number: int) -> tuple[Machine, Settings]:
        """Returns the machine and the settings of one format."""
        ...

    def rules(self, number: int) -> ShortcutRules | None:
        """Returns the rules of a format for sound messages; None if it always needs the driver."""
        ...


class TriedFormat:
    """A reading of a message in one format, which has opened a call or reasoning in it."""

    def __init__(self, number: int, several: FormatsToTry) -> None:
        self.number = number
        """Its index; of two formats that fit equally, the one with the lower index reads the call."""
        self.several = several
        self._quoted: Quoted | None = None
        self.node: Node | None = None
        """The node at which it reads text; None if it has not read anything yet."""
        self.resume = -1
        """The offset before which it opens nothing, since it read up to there and found no call."""
        self.last_call = -1
        """The index of the last call that it read, or -1."""

    def stand_on(self, node: Node) -> None:
        """Notes the node at which it reads text."""
        self.node = node

    def resume_at(self, offset: int) -> None:
        """Notes the offset up to which it read without a call; before it, it opens nothing."""
        self.resume = offset

    def note_call(self, index: int) -> None:
        """Notes the index of the last call that it read."""
        self.last_call = index

    def quotes(self, builder: Builder, offset: int, island_end: int) -> bool:
        """Whether the format reads the text at an offset as quoted, as an example."""
        found = self.several.traits[self.number].quotes
        if not found:
            return False
        if self._quoted is None:
            self._quoted = Quoted(tuple(found))
        return self._quoted.holds(builder.source, offset, island_end)

    @cached_property
    def _loaded(self) -> tuple[Machine, Settings]:
        return self.several.load(self.number)

    @property
    def machine(self) -> Machine:
        """The format's machine, loaded on first use."""
        return self._loaded[0]

    @property
    def settings(self) -> Settings:
        """The format's settings for the builder."""
        return self._loaded[1]


def implies_tool(step: Step) -> bool:
    """Whether a token stands for the name of the only tool, which the text does not contain."""
    return ("name", ANY_TOOL) in step.terminal.constants


def with_named_first(found: list[TriedFormat], buffer: str, place: int) -> list[TriedFormat]:
    """Returns the formats that open at a tag with a given tool's name, in the order to try them.

    `<final_answer>` and `<think>` open the answer or reasoning in some formats. Where there is a
    tool of that name, the formats in whose calls arguments have names come first: they go on only
    if an argument follows. Those whose calls hold any text would take the answer, and come last.
    """
    prose = [each for each in found if _opens_prose(each, buffer, place)]
    if not prose:
        return found
    calls = [each for each in found if each not in prose]
    texts = [each for each in calls if each.several.traits[each.number].takes_input]
    return [*(each for each in calls if each not in texts), *prose, *texts]


def _opens_prose(tried: TriedFormat, buffer: str, place: int) -> bool:
    """Whether a format opens something other than a call at an index."""
    node = tried.node or tried.machine.start
    match = node.token.match(buffer, place)
    step = None if match is None else node.steps.get(match.lastgroup or "")
    return step is not None and not step.opens

"""Looks, while reasoning is read that several formats open alike, where another of them ends it.

Reasoning tells nothing of the format that it stands in. Some formats end it at their own next
opener; the format that is read takes that for reasoning, and has to be judged there.
Example: one format ends `<think>…` at `</think>` alone, another at `<|tool_call|>` as well.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

from toolgrammar.core.message.format_misfit import FormatMisfit
from toolgrammar.core.payloads.raw.named_end import end_of_raw
from toolgrammar.patterns.partial import tail_that_begins, unnamed
from toolgrammar.values.patterns import compile_pattern

if TYPE_CHECKING:
    from collections.abc import Iterable

    from toolgrammar.core.machine.machine import Machine, Node
    from toolgrammar.core.message.source import Source
    from toolgrammar.core.several.openers import AnyOpeners
    from toolgrammar.core.state.driver import Driver

_LONGEST_OPENER = 64
"""Characters in which reasoning that has no closer opens."""
MOST_ALARMS = 4
"""How often one stretch of reasoning is judged."""


class ReasoningEnd(NamedTuple):
    """How a format opens reasoning, and what ends it there."""

    opener: str
    end: str
    beginnings: str


def reasoning_ends(machine: Machine) -> list[ReasoningEnd]:
    """Lists the ways in which a format opens reasoning."""
    found = []
    start = machine.start
    for group, terminal in start.tokens:
        node = start.steps[group].node
        for step in node.payloads:
            if step.terminal.name == "RAW" and step.leaf == "reasoning":
                end = end_of_raw(step)
                # Reasoning that only the next opener ends has none: then nothing in it is an end.
                closers = end.closers or ["(?!)"]
                begun = tail_that_begins(closers).pattern
                opener = machine.expressions.pattern(terminal)
                patterns = opener, "|".join(closers), begun
                found.append(ReasoningEnd(*map(unnamed, patterns)))
    return found


def follows_thought(machine: Machine, source: Source, offset: int) -> bool:
    """Whether at an offset reasoning opens that has no closer of its own, such as `Thought:`.

    Unlike `<think>`, models write that only where a prompt asks for this format or its kin.
    """
    if offset < 0:
        return False
    start = machine.start
    openers = {terminal.name for _, terminal in start.tokens}
    before = min(1, offset)  # for anchors
    text = source.slice(offset - before, offset + _LONGEST_OPENER)
    for group, terminal in start.tokens:
        for step in start.steps[group].node.payloads:
            # Behind it only openers come, so nothing else can close it.
            open_ended = all(each.name in openers for _, each in step.node.tokens)
            opener = compile_pattern(machine.expressions.pattern(terminal))
            if step.leaf == "reasoning" and open_ended and opener.match(text, before):
                return True
    return False


def end_of(ends: Iterable[ReasoningEnd], buffer: str, place: int) -> ReasoningEnd | None:
    """Returns the first of some ways to open reasoning that opens it at a place."""
    return next((each for each in ends if compile_pattern(each.opener).match(buffer, place)), None)


class TriedHere(Protocol):
    """The formats that are tried for a message, as far as the end of reasoning depends on them."""

    @property
    def openers(self) -> AnyOpeners:
        """What the formats open with."""

    @property
    def passed(self) -> int:
        """Offset up to which it was judged that no other format ends the reasoning."""

    def numbers_here(self) -> set[int]:
        """Returns the formats that open at the place of the open island."""


class OtherEnds:
    """What ends the reasoning that is being read in the formats that are not being read."""

    def __init__(self, among: TriedHere, ends: dict[int, ReasoningEnd], node: Node) -> None:
        """Takes the formats with their ends, and the node behind the reasoning that is read."""
        self.among = among
        self.ends = {number: compile_pattern(each.end) for number, each in ends.items()}
        # Many formats end reasoning alike, with `</think>`: once in the expression is enough.
        patterns = dict.fromkeys((each.end, each.beginnings) for each in ends.values())
        self.pattern = compile_pattern("|".join(f"(?:{end})" for end, _ in patterns))
        self.beginnings = compile_pattern("|".join(f"(?:{begun})" for _, begun in patterns))
        openers = {terminal.name for _, terminal in node.machine.start.tokens}
        self.open_ended = all(terminal.name in openers for _, terminal in node.tokens)
        """Whether the reasoning has no closer of its own: what opens next ends it."""
        self.looked = -1
        """Offset up to which nothing was found."""

    def look(self, driver: Driver, start: int, own: int) -> None:
        """Looks from an index on; `own` is where the format that is read ends it, or -1.

        Raises:
            FormatMisfit: another format ends the reasoning before.
        """
        buffer, base = driver.buffer, driver.base
        # What was judged (`passed`) is not judged again: the same stumble would come for ever.
        start = max(start, self.looked - base, self.among.passed - base)
        while (match := self.pattern.search(buffer, start)) is not None:
            place = match.start()
            # The format that is read ends it first.
            if 0 <= own <= place:
                return
            if self.open_ended or self._is_sure(buffer, place):
                raise FormatMisfit(in_reasoning=True)
            start = place + 1
        self.looked = base + (start if own < 0 else max(start, own))

    def _is_sure(self, buffer: str, place: int) -> bool:
        """Whether no format that would go on with reasoning opens anything at a place."""
        here = self.among.numbers_here()
        # A format that has no end there would read on, so the place tells nothing.
        return all(
            self.ends[number].match(buffer, place) is not None if number in self.ends else False
            for number in self.among.openers.at(buffer, place)
            if number in here
        )

    def held(self, buffer: str, start: int) -> int:
        """Returns the start of the tail that may become an end, or -1."""
        match = self.beginnings.search(buffer, start)
        return match.start() if match is not None else -1

"""Looks, while reasoning is read that several formats open alike, where another of them ends it.

Reasoning tells nothing of the format that it stands in. Some formats end it at their own next
opener; the format that is read takes that for reasoning, and has to be judged there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from toolgrammar.core.stumbles import Stumble
from toolgrammar.values.patterns import compile_pattern, late

if TYPE_CHECKING:
    from toolgrammar.core.among import Among
    from toolgrammar.core.driver import Driver
    from toolgrammar.core.machine import Machine, Node
    from toolgrammar.core.source import Source

_GROUP = late(r"\(\?P<\w+>")
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
                end = node.end_of_raw(step)
                patterns = machine.pattern(terminal), end.search.pattern, end.beginnings.pattern
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
            open_ended = all(each.name in openers for _, each in step.node.tokens)
            opener = compile_pattern(machine.pattern(terminal))
            if step.leaf == "reasoning" and open_ended and opener.match(text, before):
                return True
    return False


def unnamed(pattern: str) -> str:
    """Gives an expression without the names of its groups, to be joined with others."""
    return _GROUP.sub("(?:", pattern)


class OtherEnds:
    """What ends the reasoning that is being read in the formats that are not being read."""

    __slots__ = ("among", "beginnings", "ends", "looked", "open_ended", "pattern")

    def __init__(self, among: Among, ends: dict[int, ReasoningEnd], node: Node) -> None:
        """Takes the formats with their ends, and the node behind the reasoning that is read."""
        self.among = among
        self.ends = {number: compile_pattern(each.end) for number, each in ends.items()}
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
            Stumble: another format ends the reasoning before.
        """
        buffer, base = driver.buffer, driver.base
        start = max(start, self.looked - base, self.among.passed - base)
        while (match := self.pattern.search(buffer, start)) is not None:
            place = match.start()
            if 0 <= own <= place:
                return
            if self.open_ended or self._is_sure(buffer, place):
                raise Stumble(in_reasoning=True)
            start = place + 1
        self.looked = base + (start if own < 0 else max(start, own))

    def _is_sure(self, buffer: str, place: int) -> bool:
        """Whether no format that would go on with reasoning opens anything at a place."""
        here = {each.number for each in self.among.here}
        return all(
            self.ends[number].match(buffer, place) is not None if number in self.ends else False
            for number in self.among.openers.at(buffer, place)
            if number in here
        )

    def held(self, buffer: str, start: int) -> int:
        """Gives the start of the tail that may become an end, or -1."""
        match = self.beginnings.search(buffer, start)
        return match.start() if match is not None else -1

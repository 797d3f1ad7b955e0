"""Finds the place where another format ends reasoning that several formats open alike.

Example: one format ends `<think>…` at `</think>` alone, another one at `<|tool_call|>` as well.

Reasoning does not show in which format it is written. Some formats end it at their own next opener,
which the format that is read would include in the reasoning, so the formats are compared there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from toolgrammar.core.message.listing import FormatMisfit
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
"""The most characters of the opener of reasoning without a closer."""
MOST_ALARMS = 4
"""The most judgements on one stretch of reasoning."""


class ReasoningEnd(NamedTuple):
    """The expressions of an opener of reasoning, of its ends, and of the beginnings of these."""

    opener: str
    end: str
    beginnings: str


def reasoning_ends(machine: Machine) -> list[ReasoningEnd]:
    """Returns the openers of reasoning of a format, with their ends."""
    found = []
    start = machine.start
    for group, terminal in start.tokens:
        node = start.steps[group].node
        for step in node.payloads:
            if step.terminal.name == "RAW" and step.role == "reasoning":
                end = end_of_raw(step)
                # Reasoning that only the next opener ends has no closer, so nothing matches as its
                # end.
                closers = end.closers or ["(?!)"]
                begun = tail_that_begins(closers).pattern
                opener = machine.expressions.pattern(terminal)
                patterns = opener, "|".join(closers), begun
                found.append(ReasoningEnd(*map(unnamed, patterns)))
    return found


def follows_thought(machine: Machine, source: Source, offset: int) -> bool:
    """Whether reasoning opens at an offset that has no closer of its own, such as `Thought:`.

    Unlike `<think>`, models write it only if a prompt asks for this format or a similar one.
    """
    if offset < 0:
        return False
    start = machine.start
    before = min(1, offset)  # for anchors
    text = source.slice(offset - before, offset + _LONGEST_OPENER)
    for group, terminal in start.tokens:
        for step in start.steps[group].node.payloads:
            opener = compile_pattern(machine.expressions.pattern(terminal))
            is_open_ended = step.role == "reasoning" and step.node.ends_by_opener
            if is_open_ended and opener.match(text, before):
                return True
    return False


def end_of(ends: Iterable[ReasoningEnd], buffer: str, place: int) -> ReasoningEnd | None:
    """Returns the first of several openers of reasoning that matches at an index; None if none."""
    return next((each for each in ends if compile_pattern(each.opener).match(buffer, place)), None)


class OtherEnds:
    """The ends of the open reasoning in formats other than the one that is read."""

    def __init__(
        self,
        ends: dict[int, ReasoningEnd],
        node: Node,
        openers: AnyOpeners,
        here: set[int],
        passed: int,
    ) -> None:
        """Makes the search for these ends.

        Args:
            ends: the ends of the reasoning in other formats, by their numbers.
            node: the node after the reasoning in the format that is read.
            openers: the openers of the formats that are tried for the message.
            here: the formats that open at the place of the open island.
            passed: the offset up to which, by earlier judgements, no other format ends the reasoning.
        """
        self.openers, self.here = openers, here
        self.ends = {number: compile_pattern(each.end) for number, each in ends.items()}
        # Many formats have the same end, `</think>`, which needs to be in the expression only once.
        patterns = dict.fromkeys((each.end, each.beginnings) for each in ends.values())
        self.pattern = compile_pattern("|".join(f"(?:{end})" for end, _ in patterns))
        self.beginnings = compile_pattern("|".join(f"(?:{begun})" for _, begun in patterns))
        self.open_ended = node.ends_by_opener
        """Whether the reasoning has no closer of its own, and ends at the next opener."""
        self.looked = passed
        """The offset up to which nothing was found, or what was found is not judged again."""

    def look(self, driver: Driver, start: int, own: int) -> None:
        """Searches for such an end in the driver's buffer.

        Args:
            driver: the driver.
            start: the index from which it searches.
            own: the index where the format that is read ends the reasoning, or -1.

        Raises:
            FormatMisfit: another format ends the reasoning before.
        """
        buffer, base = driver.buffer, driver.base
        start = max(start, self.looked - base)
        while (match := self.pattern.search(buffer, start)) is not None:
            place = match.start()
            # The format that is read ends the reasoning first.
            if 0 <= own <= place:
                return
            if self.open_ended or self._is_sure(buffer, place):
                raise FormatMisfit(in_reasoning=True)
            start = place + 1
        self.looked = base + (start if own < 0 else max(start, own))

    def _is_sure(self, buffer: str, place: int) -> bool:
        """Whether all formats that open at an index, and may be read here, end reasoning there."""
        # A format without an end there would go on with the reasoning, so the opener may be part of
        # it.
        return all(
            self.ends[number].match(buffer, place) is not None if number in self.ends else False
            for number in self.openers.at(buffer, place)
            if number in self.here
        )

    def held_from(self, buffer: str, start: int) -> int:
        """Returns the start of the suffix that may become such an end, or -1."""
        match = self.beginnings.search(buffer, start)
        return match.start() if match is not None else -1

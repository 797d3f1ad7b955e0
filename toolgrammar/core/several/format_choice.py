"""Chooses another format for an island if the format that reads it needs a repair.

Example: `<tool_call>{"name": "f", "parameters": {}}` needs a repair at `"parameters"` in one
format, so another one, which has this key, reads on.

A format *stumbles* when its first call in an island needs a repair. The other formats that open at
the same place then read the same text, up to the character at which that showed. The first one that
needs no repair, and would have emitted just what was emitted already, goes on in its place. If
there is none, the first format goes on and repairs. So nothing waits for the judgement, and no
event is taken back.

The judgement uses one place of the text, the shortest beginning of it that shows the stumble, so
that it does not depend on how a stream is cut.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from toolgrammar.core.arguments.raw_values import raws_of
from toolgrammar.core.mending.unreadable_calls import searches_of
from toolgrammar.core.message.listing import FormatMisfit
from toolgrammar.core.several.delivered_events import Given, begins_with, behind, joined

if TYPE_CHECKING:
    from collections.abc import Callable

    from toolgrammar.core.message.build import Builder
    from toolgrammar.core.message.candidate import Candidate
    from toolgrammar.core.message.groups import Group
    from toolgrammar.core.message.listing import Checkpoint
    from toolgrammar.core.message.turns import Turns
    from toolgrammar.core.several.tried_format import TriedFormat
    from toolgrammar.core.state.driver import Driver
    from toolgrammar.values.events import Event


class NoIsland(Exception):  # noqa: N818
    """Ends a trial: the format gives the island back."""


class Ended(Exception):  # noqa: N818
    """Ends a trial: the format has read its island to the end."""


class IslandStart(NamedTuple):
    """The state of a builder and a driver before an island."""

    calls: int
    text_parts: int
    reasoning_parts: int
    diagnostics: Checkpoint
    group: Group | None
    last_name: str
    turns: Turns
    candidate: Candidate | None
    mended_before: bool
    last_end: int
    origin: int
    """The offset of the island."""
    before: str
    """The character before it, or ""."""

    @classmethod
    def of(cls, driver: Driver) -> IslandStart:
        """Saves the state of a driver that stands at an opener."""
        builder, place = driver.builder, driver.position
        return cls(
            len(builder.calls),
            builder.text_parts.checkpoint(),
            builder.reasoning_parts.checkpoint(),
            builder.listing.checkpoint(),
            builder.group.copy() if builder.group else None,
            builder.last_name,
            builder.turns.copy(),
            builder.candidate.copy() if builder.candidate else None,
            builder.mended_before,
            driver.last_end,
            driver.base + place,
            driver.buffer[max(0, place - 1) : place],
        )

    def restore(self, driver: Driver) -> None:
        """Restores driver and builder at the opener; the driver then has no text to read."""
        builder = driver.builder
        del builder.calls[self.calls :]
        builder.text_parts.rewind(self.text_parts)
        builder.reasoning_parts.rewind(self.reasoning_parts)
        builder.listing.rewind(self.diagnostics)
        builder.queue.take()
        builder.go_back(
            mended=self.mended_before,
            group=self.group.copy() if self.group else None,
            last_name=self.last_name,
            turns=self.turns.copy(),
            candidate=self.candidate.copy() if self.candidate else None,
            calls=self.calls,
        )
        raws_of(builder).forget()
        searches_of(builder).forget()
        driver.restart(self.before, self.origin, self.last_end)


class Judge:
    """Chooses the format that reads on, and keeps its events apart from those emitted before."""

    def __init__(self, begin: Callable[..., None]) -> None:
        """Makes a judge; `begin` is `TriedFormats.begin`, which begins to read an island."""
        self._begin = begin
        self.queue: list[TriedFormat] = []
        """The formats to try next for the open island."""
        self.trying = False
        """Whether an island is read on trial, only to compare the formats."""
        self.passed = -1
        """The offset up to which, by earlier judgements, no other format ends the reasoning."""
        self.misfits: dict[int, int] = {}
        """For formats by number, a length of the open island's text at which they stumble."""
        self.doubted: set[int] = set()
        """The formats that read a call of an unknown tool in the open island."""
        self.kept: list[Event] = []
        """The events of this feed from before the last judgement."""
        self.given: list[Event] = []
        """The events that were emitted already, and that the chosen reading emits once more."""
        self.counted = Given()
        """The count of the open island's emitted events."""
        self.place = 0
        """The index in the builder's events where those of the open island begin."""
        self.found_misfit = False
        """Whether the format that was tried last needs a repair."""

    def open(self, builder: Builder, queue: list[TriedFormat]) -> None:
        """Notes the beginning of an island, and the formats that may read it beside the first."""
        self.queue, self.passed, self.misfits, self.doubted = queue, -1, {}, set()
        if not queue:
            return
        self.counted = Given()
        # Events that an earlier judgement left are emitted before those of this island.
        if self.given:
            self.kept += behind(self.given, builder.queue.events)
            self.given = []
            builder.queue.take()
        self.place = len(builder.queue.events)

    def settle(self, builder: Builder) -> None:
        """Joins the events of a feed: those before a judgement, and the new ones after it."""
        new = behind(self.given, builder.queue.events)
        if builder.watched and builder.queue.listening:
            self.counted.count(new[self.place :])
        self.place = 0
        if self.given:  # events that the new reading still holds back will come once more
            self.given = behind(joined(builder.queue.events), self.given)
        builder.queue.put(self.kept + new if self.kept else new)
        self.kept = []

    def judge(
        self, driver: Driver, before: IslandStart, leader: TriedFormat, misfit: FormatMisfit
    ) -> str:
        """Takes the driver back to the island, in the format that is chosen to read it.

        Args:
            driver: the driver.
            before: the state before the island.
            leader: the format that has read it so far.
            misfit: the exception that showed that the text may be in another format.

        Returns:
            The text from the island on, which has to be read again.
        """
        builder = driver.builder
        listening = builder.queue.listening
        if listening:
            new = behind(self.given, builder.queue.events)
            self.counted.count(new[self.place :])
            self.kept += new
            self.place = 0
        # These two are taken from the reading that stumbled, before the driver is taken back.
        reached = driver.base + driver.position
        text = builder.source.slice(before.origin, driver.base + len(driver.buffer))
        others, self.queue = self.queue, []
        # The readings are compared by their events, so the builder has to collect them.
        builder.queue.listen(listening=True)
        length, given = self._stumbled(driver, before, leader, text, reached - before.origin)
        # A reading without a call is not better than one that has named a tool.
        name = builder.draft.name if builder.draft is not None else None
        winner = leader
        left: list[TriedFormat] = []
        for place, other in enumerate(others):
            events = self._try(driver, before, other, text, length)
            goes_on = events is not None and begins_with(given, events)
            if goes_on and _is_better(driver, before, misfit, name):
                winner, left = other, [*left, *others[place + 1 :]]
                break
            if goes_on or (not given and events is None and self.found_misfit):
                left.append(other)  # it may be chosen by a later judgement
        builder.queue.listen(listening=listening)
        # The format that stumbled may still be the best, if the one that goes on stumbles as well.
        self.queue = left if winner is leader else [*left, leader]
        self.passed = before.origin + length
        # If no other format reads the text without a repair, the first one repairs it. It is then
        # not watched any more, as there is no other to compare it with.
        watched = bool(self.queue) and (winner is not leader or misfit.in_reasoning)
        before.restore(driver)
        # The name was emitted, so trying other formats again because of it would be of no use.
        if given:
            self.doubted |= {leader.number, winner.number}
        self.given = []
        if listening:
            # A stream in chunks of one character would have emitted all of this by now.
            rest = self.counted.rest(given)
            self.counted.count(rest)
            self.kept += rest
            self.given = given
        self._begin(driver, winner, watched=watched)
        return text

    def _stumbled(
        self,
        driver: Driver,
        before: IslandStart,
        leader: TriedFormat,
        text: str,
        reached: int,
    ) -> tuple[int, list[Event]]:
        """Returns the length of the shortest text that shows the stumble, and the events up to it.

        The length is one more than that of the whole text if only the end of the text shows it.
        """
        # To read every beginning by characters would take long. A place just before a known stumble is
        # likely near the first one, so the text up to there is read at once if it does not stumble.
        known = self.misfits.get(leader.number, 0) - 1
        for start in sorted({min(reached, len(text)), known} - {0, -1}, reverse=True):
            length = self._stumbles_at(driver, before, leader, text, start)
            if length > start:
                break
        else:
            length = self._stumbles_at(driver, before, leader, text, 0)
        return length, joined(driver.builder.queue.events)

    def _stumbles_at(
        self, driver: Driver, before: IslandStart, leader: TriedFormat, text: str, start: int
    ) -> int:
        """Returns the length of text at which a format stumbles, in the words of `_stumbled`.

        The first `start` characters are read at once, and `start` is returned if it stumbles in them;
        all others are read one by one, so that the length depends on the text alone.
        """
        before.restore(driver)
        self._begin(driver, leader, watched=True)
        length = start
        try:
            driver.take(text[:start], final=False)
            for length in range(start + 1, len(text) + 1):
                driver.take(text[length - 1], final=False)
            length = len(text) + 1
            driver.take("", final=True)
        except FormatMisfit:
            pass
        return length

    def _try(
        self, driver: Driver, before: IslandStart, other: TriedFormat, text: str, length: int
    ) -> list[Event] | None:
        """Returns the events of a format for a text; None if it stumbles or does not go on."""
        shown = self.misfits.get(other.number)
        # A format that stumbled at a shorter beginning of the text stumbles here as well.
        if shown is not None and shown <= length:
            self.found_misfit = True  # an earlier judgement found it
            return None
        before.restore(driver)
        self.trying = True
        try:
            # It is watched, so that its first repair ends the trial.
            self._begin(driver, other, watched=True)
            driver.take(text[:length], final=False)
            if length > len(text):
                driver.take("", final=True)
        # Its island ended without a repair.
        except Ended:
            pass
        except (NoIsland, FormatMisfit) as outcome:
            self.found_misfit = isinstance(outcome, FormatMisfit)
            # A length past the text means the end of the text, which says nothing about a longer
            # text.
            if self.found_misfit and length <= len(text):
                self.misfits[other.number] = length
            return None
        finally:
            self.trying = False
        return joined(driver.builder.queue.events)


def _is_better(driver: Driver, before: IslandStart, misfit: FormatMisfit, name: str | None) -> bool:
    """Whether the reading of a tried format is better than that of the format that stumbled.

    It is not if it has no call where the other one has a call, if it is still in the reasoning
    whose end is in question, or if only the arguments are in question and the name differs.

    Args:
        driver: the driver, after the trial.
        before: the state before the island.
        misfit: the exception that showed that the text may be in another format.
        name: the name that the format that stumbled has read; None if it has read none.
    """
    builder = driver.builder
    draft = builder.draft
    # Only the end of the reasoning is in question, so a reading that is still in it is not better.
    if misfit.in_reasoning:
        return driver.payload.raw is None
    # The call itself is certain, so another reading of it has to find the same name.
    if misfit.overlooked:
        return draft is not None and draft.name == name
    return name is None or draft is not None or len(builder.calls) > before.calls

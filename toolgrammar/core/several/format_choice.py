"""Finds the format that reads on where the one that reads an island of several formats stumbles.

A format that was chosen stumbles when its first call needs a repair. The others that open at the
same place then read the same text up to the character at which that showed. The first that needs
no repair, and would have given out just what was given out already, goes on in its stead; where
there is none, the first goes on and repairs. So nothing waits for the judgement, and nothing that
was given out is taken back.

All is judged at one place of the text, the shortest beginning of it that shows the stumble, so
that the cutting of a stream does not count.
Example: `<tool_call>{"name": "f", "parameters": {}}` stumbles in one format at `"parameters"`; another one that has this key reads on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

from toolgrammar.core.arguments.raw_values import raws_of
from toolgrammar.core.message.format_misfit import FormatMisfit
from toolgrammar.core.several.delivered_events import Given, begins_with, behind, joined

if TYPE_CHECKING:
    from toolgrammar.core.message.build import Builder
    from toolgrammar.core.message.candidate import Candidate
    from toolgrammar.core.message.groups import Group
    from toolgrammar.core.message.listing import Mark as Listed
    from toolgrammar.core.message.turns import Turns
    from toolgrammar.core.several.alternative import Alternative
    from toolgrammar.core.state.driver import Driver
    from toolgrammar.values.events import Event


class NoIsland(Exception):  # noqa: N818
    """The format that is tried does not go on."""


class Ended(Exception):  # noqa: N818
    """The format that is tried has read its island to the end."""


class Mark(NamedTuple):
    """What a builder and a driver held before an island."""

    calls: int
    text_parts: int
    reasoning_parts: int
    diagnostics: Listed
    group: Group | None
    last_name: str
    turns: Turns
    candidate: Candidate | None
    mended_before: bool
    last_end: int
    origin: int
    """Offset of the island."""
    before: str
    """The character before it."""

    @classmethod
    def of(cls, driver: Driver) -> Mark:
        """Notes the state; the driver stands at the opener."""
        builder, place = driver.builder, driver.position
        return cls(
            len(builder.calls),
            builder.text_parts.mark(),
            builder.reasoning_parts.mark(),
            builder.listing.mark(),
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
        """Takes driver and builder back to the opener; no text is left in the driver."""
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
        driver.restart(self.before, self.origin, self.last_end)


class Trial(Protocol):
    """The formats that are tried for a message, as far as a judgement between them needs them."""

    @property
    def current(self) -> Alternative | None:
        """The format that is read, or was read last."""

    @property
    def misfits(self) -> dict[int, int]:
        """By number of a format, a length of the island's text that shows that it stumbles."""

    def take_queue(self) -> list[Alternative]:
        """Returns the other formats that open where the island does; none are left then."""

    def begin(self, driver: Driver, alternative: Alternative, *, watched: bool) -> None:
        """Begins to read the island in a format."""

    def try_only(self, *, trying: bool) -> None:
        """Sets whether an island is read for a judgement only."""

    def note_judged(self, queue: list[Alternative], passed: int) -> None:
        """Notes which formats are left after a judgement, and the offset up to which it holds."""

    def note_named(self, *alternatives: Alternative) -> None:
        """Notes formats that named an unknown tool; the name was given out."""


class Judge:
    """Chooses the format that reads on, and keeps apart what was given out before."""

    def __init__(self, among: Trial) -> None:
        self.among = among
        self.kept: list[Event] = []
        """Events of this feed from before the last judgement."""
        self.given: list[Event] = []
        """Of these, what the reading that goes on since then gives out again."""
        self.counted = Given()
        """What of the open island was given out."""
        self.place = 0
        """Index in the builder's events where those of the open island begin."""
        self.found_misfit = False
        """Whether the format that was tried last needs a repair."""

    def open(self, builder: Builder) -> None:
        """Notes that an island begins that may be judged."""
        self.counted = Given()
        # What an earlier judgement left to be given out is due before this island.
        if self.given:
            self.kept += behind(self.given, builder.queue.events)
            self.given = []
            builder.queue.take()
        self.place = len(builder.queue.events)

    def settle(self, builder: Builder) -> None:
        """Joins the events of a feed: those before a judgement, and what is new since."""
        new = behind(self.given, builder.queue.events) if self.given else builder.queue.events
        if builder.watched and builder.queue.listening:
            self.counted.count(new[self.place :])
        self.place = 0
        if self.given:  # what the reading that goes on holds back still comes again
            self.given = behind(joined(builder.queue.events), self.given)
        builder.queue.put(self.kept + new if self.kept else new)
        self.kept = []

    def judge(self, driver: Driver, mark: Mark, misfit: FormatMisfit) -> str:
        """Takes the driver back to the island, with the format that reads it from there.

        Args:
            driver: the driver.
            mark: the state before the island.
            misfit: what showed that another format may be meant.

        Returns:
            The text from the island on, to be read now.
        """
        builder, among = driver.builder, self.among
        listening = builder.queue.listening
        if listening:
            new = behind(self.given, builder.queue.events)
            self.counted.count(new[self.place :])
            self.kept += new
            self.place = 0
        # Both are of the reading that stumbled: the driver forgets them when it is taken back.
        reached = driver.base + driver.position
        text = builder.source.written(mark.origin, driver.base + len(driver.buffer))
        leader = among.current
        assert leader is not None
        others = among.take_queue()
        # Only a builder that is listened to makes events, and events are what is compared.
        builder.queue.listen(listening=True)
        length, given = self._stumbled(driver, mark, leader, text, reached - mark.origin)
        # A reading that finds no call is no better than one that has named a tool.
        name = builder.draft.name if builder.draft is not None else None
        winner = leader
        left: list[Alternative] = []
        for place, other in enumerate(others):
            events = self._try(driver, mark, other, text, length)
            goes_on = events is not None and begins_with(given, events)
            if goes_on and _is_better(driver, mark, misfit, name):
                winner, left = other, [*left, *others[place + 1 :]]
                break
            if goes_on or (not given and events is None and self.found_misfit):
                left.append(other)  # it may still be the one that goes on
        builder.queue.listen(listening=listening)
        # The format that stumbled may still be the best, if the one that goes on stumbles as well.
        queue = left if winner is leader else [*left, leader]
        among.note_judged(queue, mark.origin + length)
        # The first one repairs, now that no other reads the text without a repair; so it has nobody
        # to be judged against.
        watched = bool(queue) and (winner is not leader or misfit.in_reasoning)
        mark.restore(driver)
        # The name is out: the same doubt about it would come to nothing.
        if given:
            among.note_named(leader, winner)
        self.given = []
        if listening:
            # A stream that was cut everywhere would have given out all of this by now.
            rest = self.counted.rest(given)
            self.counted.count(rest)
            self.kept += rest
            self.given = given
        among.begin(driver, winner, watched=watched)
        return text

    def _stumbled(
        self, driver: Driver, mark: Mark, leader: Alternative, text: str, reached: int
    ) -> tuple[int, list[Event]]:
        """Returns the length of the shortest text that shows the stumble, and what was given out.

        The length is one more than that of the text where only its end shows it.
        """
        tried = self.among.misfits.get(leader.number, 0)
        # One character before a place where it stumbles is near the first such place.
        # From a beginning that does not stumble, one character after the other: so the length
        # depends on the text alone.
        for known in sorted({max(0, min(reached, len(text))), max(0, tried - 1), 0}, reverse=True):
            length = known
            mark.restore(driver)
            self.among.begin(driver, leader, watched=True)
            try:
                driver.take(text[:known], final=False)
                for length in range(known + 1, len(text) + 1):
                    driver.take(text[length - 1], final=False)
                length = len(text) + 1
                driver.take("", final=True)
            except FormatMisfit:
                # It had stumbled in the beginning already, so a shorter one is tried.
                if length > known or not known:
                    break
        return length, joined(driver.builder.queue.events)

    def _try(
        self, driver: Driver, mark: Mark, other: Alternative, text: str, length: int
    ) -> list[Event] | None:
        """Returns what a format gives out for a text; None where it stumbles or does not go on."""
        among = self.among
        shown = among.misfits.get(other.number)
        # What stumbled at a beginning of the text stumbles here.
        if shown is not None and shown <= length:
            self.found_misfit = True  # as it did when another one was judged
            return None
        mark.restore(driver)
        among.try_only(trying=True)
        try:
            # Watched, so that its first repair ends the trial: what needs one does no better.
            among.begin(driver, other, watched=True)
            driver.take(text[:length], final=False)
            if length > len(text):
                driver.take("", final=True)
        # Its island came to its end without a repair.
        except Ended:
            pass
        except (NoIsland, FormatMisfit) as outcome:
            self.found_misfit = isinstance(outcome, FormatMisfit)
            # A longer length stands for the end of the text, which is not reached in a longer text.
            if self.found_misfit and length <= len(text):
                among.misfits[other.number] = length
            return None
        finally:
            among.try_only(trying=False)
        return joined(driver.builder.queue.events)


def _is_better(driver: Driver, mark: Mark, misfit: FormatMisfit, name: str | None) -> bool:
    """Whether a reading that goes on is better than that of a call named `name`, or of none.

    What reads no call where the other reads one is no better; nor is what is still reasoning
    where the other has ended it, or what has another call where only its arguments are in doubt.
    """
    builder = driver.builder
    draft = builder.draft
    # Only the end of the reasoning is in question, so a reading that is still in it is no better.
    if misfit.in_reasoning:
        return driver.payload.raw is None
    # The call is certain; another reading of it has to find the same name.
    if misfit.overlooked:
        return draft is not None and draft.name == name
    return name is None or draft is not None or len(builder.calls) > mark.calls

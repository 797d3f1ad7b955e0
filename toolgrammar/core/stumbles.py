"""Finds the format that reads on where the one that reads an island of several formats stumbles.

A format that was chosen stumbles when its first call needs a repair. The others that open at the
same place then read the same text up to the character at which that showed. The first that needs
no repair, and would have given out just what was given out already, goes on in its stead; where
there is none, the first goes on and repairs. So nothing waits for the judgement, and nothing that
was given out is taken back.

All is judged at one place of the text, the shortest beginning of it that shows the stumble, so
that the cutting of a stream does not count.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from toolgrammar.core.given import Given, begins_with, behind, joined

if TYPE_CHECKING:
    from toolgrammar.core.alternative import Alternative
    from toolgrammar.core.among import Among
    from toolgrammar.core.build import Builder
    from toolgrammar.core.driver import Driver
    from toolgrammar.core.groups import Group
    from toolgrammar.core.listing import Mark as Listed
    from toolgrammar.core.turns import Turns
    from toolgrammar.values.events import Event

_OF_MARKUP = frozenset({"misspelt", "missing-close-tag", "stray-close-tag"})
"""Codes of safe repairs of the envelope."""
_OF_VALUES = frozenset(
    {
        "dependency-cycle",
        "duplicate-id",
        "duplicate-key",
        "empty-name",
        "malformed-name",
        "missing-quote",
        "overlong-name",
        "schema-mismatch",
        "slipped-quote",
        "unknown-argument",
        "unknown-dependency",
    }
)
"""Codes of diagnostics that say nothing of the wire: another format would meet them too."""


class Stumble(Exception):  # noqa: N818 - no error: it ends a reading that is judged
    """The format that is read needs a repair, and another one might not."""

    def __init__(self, *, in_reasoning: bool = False, overlooked: bool = False) -> None:
        super().__init__()
        self.in_reasoning = in_reasoning
        """Whether nothing is wrong, but another format ends the reasoning here."""
        self.overlooked = overlooked
        """Whether nothing is wrong, but an object is skipped that may be the arguments."""


class NoIsland(Exception):  # noqa: N818
    """The format that is tried does not go on."""


class Ended(Exception):  # noqa: N818
    """The format that is tried has read its island to the end."""


def is_stumble(code: str, severity: str) -> bool:
    """Whether a diagnostic tells that the text may be in another format.

    A safe repair inside JSON does not: models write it so, in any format.
    """
    return code in _OF_MARKUP or (severity == "error" and code not in _OF_VALUES)


def overlooks(builder: Builder, start: int) -> bool:
    """Whether the member of a call that begins at an offset, and fills no role, is an object.

    Before the call has any arguments, that may be them: another format may know their key.
    """
    draft = builder.draft
    if draft is None or draft.name is None or draft.arguments_start >= 0 or start < 0:
        return False
    return builder.source.slice(start, start + 1) == "{"


class Mark(NamedTuple):
    """What a builder and a driver held before an island."""

    calls: int
    text_parts: int
    reasoning_parts: int
    diagnostics: Listed
    group: Group | None
    last_name: str
    turns: Turns
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
        builder.events = []
        builder.draft = None
        builder.waiting, builder.mended_before, builder.doubted_before = [], False, []
        builder.group = self.group.copy() if self.group else None
        builder.last_name = self.last_name
        builder.turns = self.turns.copy()
        builder.raws.trimmer = None
        builder.skipped_from = builder.token_start = -1
        builder.ended_open, builder.unclosed_text = False, -1
        if builder.taken_upto > self.calls:
            builder.taken_ids, builder.taken_upto = set(), 0
        driver.restart(self.before, self.origin, self.last_end)


class Judge:
    """Chooses who goes on, and keeps apart what was given out before."""

    __slots__ = ("among", "counted", "given", "kept", "place", "stumbled")

    def __init__(self, among: Among) -> None:
        self.among = among
        self.kept: list[Event] = []
        """Events of this feed from before the last judgement."""
        self.given: list[Event] = []
        """Of these, what the reading that goes on since then gives out again."""
        self.counted = Given()
        """What of the open island was given out."""
        self.place = 0
        """Index in the builder's events where those of the open island begin."""
        self.stumbled = False
        """Whether the format that was tried last needs a repair."""

    def open(self, builder: Builder) -> None:
        """Notes that an island begins that may be judged."""
        self.counted = Given()
        if self.given:
            self.kept += behind(self.given, builder.events)
            self.given, builder.events = [], []
        self.place = len(builder.events)

    def settle(self, builder: Builder) -> None:
        """Joins the events of a feed: those before a judgement, and what is new since."""
        new = behind(self.given, builder.events) if self.given else builder.events
        if builder.watched and builder.listening:
            self.counted.count(new[self.place :])
        self.place = 0
        builder.events = self.kept + new if self.kept else new
        self.kept, self.given = [], []

    def judge(self, driver: Driver, mark: Mark, stumble: Stumble) -> str:
        """Takes the driver back to the island, with the format that reads it from there.

        Args:
            driver: the driver.
            mark: the state before the island.
            stumble: what showed that another format may be meant.

        Returns:
            The text from the island on, to be read now.
        """
        builder, among = driver.builder, self.among
        listening = builder.listening
        if listening:
            new = behind(self.given, builder.events)
            self.counted.count(new[self.place :])
            self.kept += new
            self.place = 0
        reached = driver.base + driver.position
        text = builder.written(mark.origin, driver.base + len(driver.buffer))
        leader = among.current
        assert leader is not None
        others, among.queue = among.queue, []
        builder.listening = True
        length, given = self._stumbled(driver, mark, leader, text, reached - mark.origin)
        name = builder.draft.name if builder.draft is not None else None
        winner = leader
        left: list[Alternative] = []
        for place, other in enumerate(others):
            events = self._try(driver, mark, other, text, length)
            goes_on = events is not None and begins_with(given, events)
            if goes_on and _is_better(driver, mark, stumble, name):
                winner, left = other, [*left, *others[place + 1 :]]
                break
            if goes_on or (not given and events is None and self.stumbled):
                left.append(other)  # it may still be the one that goes on
        builder.listening = listening
        among.queue = left if winner is leader else [*left, leader]
        among.passed = mark.origin + length
        watched = bool(among.queue) and (winner is not leader or stumble.in_reasoning)
        mark.restore(driver)
        if given:
            among.doubted |= {leader.number, winner.number}  # what they named was given out
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
        """Gives the length of the shortest text that shows the stumble, and what was given out.

        The length is one more than that of the text where only its end shows it.
        """
        for known in (max(0, min(reached, len(text))), 0):
            length = known
            mark.restore(driver)
            self.among.begin(driver, leader, watched=True)
            try:
                driver.take(text[:known], final=False)
                for length in range(known + 1, len(text) + 1):
                    driver.take(text[length - 1], final=False)
                length = len(text) + 1
                driver.take("", final=True)
            except Stumble:
                if length > known or not known:
                    break
        return length, joined(driver.builder.events)

    def _try(
        self, driver: Driver, mark: Mark, other: Alternative, text: str, length: int
    ) -> list[Event] | None:
        """Gives what a format gives out for a text; None where it stumbles or does not go on."""
        mark.restore(driver)
        among = self.among
        among.trying = True
        try:
            among.begin(driver, other, watched=True)
            driver.take(text[:length], final=False)
            if length > len(text):
                driver.take("", final=True)
        except Ended:
            pass
        except (NoIsland, Stumble) as outcome:
            self.stumbled = isinstance(outcome, Stumble)
            return None
        finally:
            among.trying = False
        return joined(driver.builder.events)


def _is_better(driver: Driver, mark: Mark, stumble: Stumble, name: str | None) -> bool:
    """Whether a reading that goes on is better than that of a call named `name`, or of none.

    What reads no call where the other reads one is no better; nor is what is still reasoning
    where the other has ended it, or what has another call where only its arguments are in doubt.
    """
    builder = driver.builder
    draft = builder.draft
    if stumble.in_reasoning:
        return driver.raw is None
    if stumble.overlooked:
        return draft is not None and draft.name == name
    return name is None or draft is not None or len(builder.calls) > mark.calls

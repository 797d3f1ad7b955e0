"""Reads one raw payload up to the closer that `raw_end` finds and its balance allows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgrammar.core.fences import length
from toolgrammar.core.misspelt import is_near
from toolgrammar.core.partial import BEGUN
from toolgrammar.core.raw_leaving import LONGEST, begun_closer, close_raw
from toolgrammar.core.raw_siblings import Sibling, is_unclosed
from toolgrammar.core.stops import end_of_payload
from toolgrammar.core.thought_calls import note_island
from toolgrammar.values.patterns import late

if TYPE_CHECKING:
    import re

    from toolgrammar.core.driver import Driver
    from toolgrammar.core.raw_end import RawEnd
    from toolgrammar.core.reasoning_ends import OtherEnds

_SAME_GROUP = late(r"(?:u|v|f\w+?)_SAME_(NAME|KEY|FENCE|MARK)_")
_SHORT = 64
"""Characters that are searched again rather than have a larger expression made for them."""


class RawReader:
    """The state of one raw payload between two chunks."""

    __slots__ = (
        "begins_here",
        "begun",
        "driver",
        "end",
        "fences",
        "held",
        "islands",
        "last_closer",
        "mended",
        "near",
        "others",
        "others_open",
        "quoted",
        "searched",
        "shared",
        "sibling",
        "strays",
        "unended",
        "values_open",
    )

    def __init__(self, driver: Driver, end: RawEnd, start: int) -> None:
        self.driver = driver
        self.end = end
        self.searched = start
        """Index in the driver's buffer up to which no closer was found."""
        self.begins_here = False  # whether what may become one begins there
        self.held: list[str] | None = None
        """What stands behind a closer that paired with a quoted opener; None before the first."""
        self.islands: list[int] = []  # offsets of the openers of calls in reasoning
        self.mended = False
        """Whether something else than the payload's own closer ends it."""
        self.near = ""
        """The word that ends the value in place of the one of its closer."""
        self.unended = False
        """Whether that is a closer of the call."""
        self.last_closer = -1
        """Offset of the last such closer."""
        self.shared = False
        """Whether a closer that may be the payload's own paired with a quoted opener."""
        self.sibling = ""
        """What looks like the opener of another argument inside the value."""
        self.fences = 0
        """Blocks of code that are open inside a block."""
        self.quoted: list[str] = []
        """Names of the calls that are quoted and open."""
        self.strays: list[tuple[str, int, bool]] = []
        """The value's own closers that pair with nothing in it, each with the offset behind it."""
        self.values_open = 0
        """How often the value's own opener is quoted and open."""
        self.others_open = 0
        """How often that of another value is."""
        self.begun = Sibling()
        """The opener of another argument that nothing closes so far."""
        self.others: OtherEnds | None = None
        """What ends reasoning in the other formats that the message may be written in."""

    def run(self) -> bool:
        """Looks for the end; false where more text is needed."""
        driver = self.driver
        while True:
            driver.steps += 1
            if self._still_begins():
                return False
            match = self._next()
            if self.others is not None:
                self.others.look(driver, self.searched, -1 if match is None else match.start())
            if match is None or self._may_grow(match):
                self._wait()
                return False
            ends = self._ends(match)
            if ends:
                close_raw(self, self.begun.step_back(self, match.start()))
                return True
            if ends is None:
                self.searched = match.start()
                self.give(self.searched)
                return False

    def _still_begins(self) -> bool:
        """Whether what had begun goes on, and is nothing yet: then all behind it waits too.

        Without this question each character of it would have all of it searched again.
        """
        begins, self.begins_here = self.begins_here, False
        if not begins or self.driver.final or self.others is not None:
            return False
        buffer, place = self.driver.buffer, self.searched
        if self.end.search.match(buffer, place) is not None:
            return False
        self.begins_here = self.end.beginnings.match(buffer, place) is not None
        if not self.begins_here and len(buffer) - place > _SHORT:
            # What begins behind it comes before what is whole behind that.
            found = self.end.search_or_begun.search(buffer, place + 1)
            self.begins_here = found is not None and found.lastgroup == BEGUN
            if found is None or self.begins_here:
                self.searched = len(buffer) if found is None else found.start()
                self.give(self.searched)
                return True
        return self.begins_here

    def _next(self) -> re.Match[str] | None:
        """Finds the next candidate.

        At the end of the text also one with half of what follows it; the expression for these is
        large, and a text that is whole never asks for it.
        """
        driver, end = self.driver, self.end
        match = end.find(driver.buffer, self.searched)
        if not driver.final or (match is not None and str(match.lastgroup).startswith("closer_")):
            return match
        if match is None:
            if end.bare.search(driver.buffer, self.searched) is None:
                return None
            return end.final.search(driver.buffer, self.searched)
        return end.final.match(driver.buffer, match.start())

    def _may_grow(self, match: re.Match[str]) -> bool:
        """Whether more text may show that this is the payload's own closer, or that it is none."""
        driver = self.driver
        if driver.final:
            return False
        closer = (match.lastgroup or "").startswith("closer_")
        stop = len(driver.buffer)
        beginnings = self.end.beginnings
        near = max(self.searched, stop - LONGEST)
        if near <= match.start() and not self.end.is_plain(driver.buffer, near, match.start()):
            # What began before it comes first.
            earlier = beginnings.search(driver.buffer, near)
            if earlier is not None and earlier.start() < match.start():
                return True
        if closer and not self.end.looks_on:
            return False
        return beginnings.match(driver.buffer, match.start()) is not None

    def _wait(self) -> None:
        driver = self.driver
        stop = len(driver.buffer)
        if driver.final:
            stop = end_of_payload(driver, self.end.node, self.searched)
            begun = begun_closer(self)
            stop = min(stop, begun) if begun >= 0 else stop
        else:
            held = self.end.beginnings.search(driver.buffer, self.searched)
            if held:
                stop = held.start()
                self.begins_here = True
            if self.others is not None:
                other = self.others.held(driver.buffer, self.searched)
                stop = other if 0 <= other < stop else stop
        self.searched = stop
        self.give(stop)

    def give(self, end: int) -> None:
        """Gives out what stands before an index, or adds it to what is held back."""
        driver = self.driver
        if end > driver.position:
            piece = driver.buffer[driver.position : end]
            if driver.base + driver.position < 0:
                piece = piece[-(driver.base + driver.position) :]
            if self.held is None:
                driver.builder.raws.take(piece)
            else:
                self.held.append(piece)
            driver.position = end

    def _ends(self, match: re.Match[str]) -> bool | None:
        """Judges one candidate: whether the payload ends there, and moves on if not.

        None where more text has to come before it can be judged.
        """
        kind = match.lastgroup or ""
        groups = match.groupdict()
        if kind.startswith("island_"):
            return note_island(self, match.start())
        if kind.startswith("outer_"):
            return self._outer_closer_ends(match, groups)
        if kind.startswith("near_closer"):
            return self._near_closer_ends(match, groups)
        if kind == "call_closer" and not self.quoted:
            # It closes no call; the payload's own closer may stand in it, or be it.
            own = self.end.value_closing.match(self.driver.buffer, match.start())
            if own is not None and self._repeats_rightly(own.groupdict()):
                self._pair_closer(own, sure=False)
            self.searched = match.start() + 1
            return False
        if kind.startswith(("near_opener", "value_opener")):
            if not self.quoted and self._opener_ends(match, groups):
                return True
        elif not self._is_quote(kind, match, groups):
            return self._closer_ends(match, groups)
        self.searched = match.end()
        return False

    def _is_quote(self, kind: str, match: re.Match[str], groups: dict[str, str | None]) -> bool:
        """Whether a tag belongs to a call, block or value that is quoted; notes that then."""
        if kind.startswith("call_opener"):
            self.quoted.append(groups.get("opened" + kind.removeprefix("call_opener")) or "")
        elif kind == "call_closer":
            self._close_quoted(groups.get("closed"))
        elif kind == "fence_opener":
            count = length(groups["fence_mark"] or "")
            if count >= length(self.driver.builder.last_fence):
                self.fences += 1
        elif kind.startswith("value_closer"):
            if not self.quoted and self._repeats_rightly(groups):
                self._pair_closer(match)
        else:
            return False
        return True

    def _opener_ends(self, match: re.Match[str], groups: dict[str, str | None]) -> bool:
        """Judges the opener of an argument, or what resembles one, inside the value."""
        key = groups.get(f"key_{(match.lastgroup or '').rpartition('_')[2]}")
        near, builder = groups.get("near_word"), self.driver.builder
        if near is None and self._begins_sibling(match, key):
            self.mended = True
            return True
        awaited = builder.awaits(key)
        if awaited or (near and is_near(near, self.end.words["near_word"])):
            self.sibling = self.sibling or match.group()
        if near is None and key == builder.same("SAME_KEY"):
            self.values_open += 1
        elif near is None:
            self.begun.note(self, match, awaited=awaited)
            self.others_open += 1
        return False

    def _near_closer_ends(self, match: re.Match[str], groups: dict[str, str | None]) -> bool:
        """Judges what resembles the value's own closer, where that may stand."""
        group = f"near_own_{(match.lastgroup or '').rpartition('_')[2]}"
        word = groups[group] or ""
        is_open = self.quoted or self.values_open or self.others_open
        if not is_open and is_near(word, self.end.words[group]):
            self.near = word
            return True
        self.searched = match.start() + 1
        return False

    def _begins_sibling(self, match: re.Match[str], key: str | None) -> bool:
        """Whether the opener of another argument tells that the own closer is missing.

        Only one that the tool awaits, at the start of a line or where nothing closes it.
        """
        driver = self.driver
        start = match.start()
        known = driver.buffer[start - 1 : start] == "\n" or is_unclosed(driver, start)
        return known and self.end.tagged and driver.builder.awaits(key)

    def _pair_closer(self, match: re.Match[str], *, sure: bool = True) -> None:
        """Closes the opener of a value that is quoted; without one, the value may end here.

        What is not `sure` may belong to another tag: it tells only beside other damage.
        """
        if self.values_open:
            self.values_open -= 1
        elif self.others_open:
            self.others_open -= 1
            if not self.others_open:
                self.begun.release(self)
        else:
            self.strays.append((match.group().strip(), self.driver.base + match.end(), sure))

    def _close_quoted(self, name: str | None) -> None:
        """Closes a quoted call; with a name, the innermost of that name and what it holds."""
        quoted = self.quoted
        if name in quoted:
            while quoted.pop() != name:
                pass
        elif quoted and name is None:
            quoted.pop()

    def _outer_closer_ends(self, match: re.Match[str], groups: dict[str, str | None]) -> bool:
        """Judges a closer of what stands around the payload: its own closer may be missing."""
        name = next((v for g, v in groups.items() if g.startswith("SAME_") and v), None)
        if not self.quoted and name in (None, self.driver.builder.same("SAME_NAME")):
            self.mended = self.unended = True
            return True
        self._close_quoted(name)
        self.searched = match.end()
        return False

    def _closer_ends(self, match: re.Match[str], groups: dict[str, str | None]) -> bool | None:
        driver, end = self.driver, self.end
        words = ((groups.get(group), word) for group, word in end.words.items())
        if any(written and not is_near(written, word) for written, word in words):
            return self._other_ends(match.start())
        if not self._repeats_rightly(groups):
            own = {group: value for group, value in groups.items() if not group.startswith("f")}
            other = self._repeats_rightly(own) and self._other_closer_follows(match.end())
            if other is None:
                return None
            if not other:
                return self._other_ends(match.start())
        if self.fences:
            self.fences -= 1
            self.searched = match.end()
            return False
        if self.quoted:
            if match.lastgroup in end.closes_call:
                name = next(
                    (v for g, v in groups.items() if v and g.startswith("u_SAME_NAME")), None
                )
                if name is None or name in self.quoted:
                    self._close_quoted(name)
                    self.shared = True
                self._hold(match.start())
            self.searched = match.end() if end.call_closes_alone else match.start() + 1
            return False
        if self.values_open:
            begins = end.closing_call_beginnings
            if not driver.final and begins.match(driver.buffer, match.end()):
                return None
            if not end.closing_call.match(driver.buffer, match.end()):
                self.values_open -= 1
                self.searched = match.end()
                return False
        return True

    def _other_closer_follows(self, place: int) -> bool | None:
        """Whether a closer that is misspelt stands where the call's own should; None: wait."""
        driver, end = self.driver, self.end
        pattern = end.other_closer(final=driver.final)
        begun = end.other_closer_beginnings
        if not driver.final and begun is not None and begun.match(driver.buffer, place):
            return None
        return pattern.match(driver.buffer, place) is not None

    def _repeats_rightly(self, groups: dict[str, str | None]) -> bool:
        """Whether what repeats the name of the call or the key in a closer is that name or key."""
        for group, value in groups.items():
            same = _SAME_GROUP.match(group) if value is not None else None
            if same is None or value is None:
                continue
            if not self.driver.builder.repeats(f"SAME_{same[1]}", value):
                return False
        return True

    def _other_ends(self, start: int) -> bool | None:
        """Judges what else begins where a closer with another name stands."""
        driver = self.driver
        if not driver.final and self.end.outer_beginnings.match(driver.buffer, start):
            return None
        beside = self.end.beside(final=driver.final).match(driver.buffer, start)
        if beside is not None:
            return self._ends(beside)
        self.searched = start + 1
        return False

    def let_go(self) -> None:
        """Gives out what was held back."""
        if self.held is not None:
            self.driver.builder.raws.take("".join(self.held))
            self.held = None

    def _hold(self, closer: int) -> None:
        """Remembers a closer that paired with a quoted opener: it counts if no other comes."""
        self.give(closer)
        if self.held is None:
            self.held = []
        self.last_closer = self.driver.base + closer


def read_raw(driver: Driver) -> bool:
    """Looks for the end of the raw payload; False where more text is needed."""
    assert driver.raw is not None
    return driver.raw.run()

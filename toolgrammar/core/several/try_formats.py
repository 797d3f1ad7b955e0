"""Reads one message in several formats: tries those that open at a place, one after the other.

Example: at `<tool_call>` the format of the last call is tried first, then the others that open so.

In text the openers of all formats are searched together. The formats that open at a place are tried
in order, from the opener on: first the format of the calls so far, then the one with the longest
opener, then the lower index. If a format gives the island back, the next one is tried; if
none is left, the opener is text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgrammar.core.driver.reading_text import is_in_code
from toolgrammar.core.machine.lost_openers import lacks_opener
from toolgrammar.core.machine.machine import LONGEST_OPENER
from toolgrammar.core.message.listing import FormatMisfit
from toolgrammar.core.several.format_choice import Ended, IslandStart, Judge, NoIsland
from toolgrammar.core.several.open_search import OpenSearch, begins_at, search_openers, stands_at
from toolgrammar.core.several.reasoning_ends import MOST_ALARMS, OtherEnds, end_of, follows_thought
from toolgrammar.core.several.tried_format import TriedFormat, implies_tool, with_named_first
from toolgrammar.core.trust.call_or_text import (
    NotACall,
    begins_its_arguments,
    is_code_block,
    is_markup,
    is_name,
    is_shown_block,
    length_as_evidence,
    names_a_tool,
    tag_of_tool,
)
from toolgrammar.core.trust.code_around import note_block, note_quoted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toolgrammar.core.machine.machine import Machine, Node
    from toolgrammar.core.message.build import Builder
    from toolgrammar.core.several.tried_format import FormatsToTry
    from toolgrammar.core.state.driver import Driver


_SLICE = 65_536
"""The most characters that are read at once, as the text after a stumble is copied."""


class TriedFormats:
    """The formats of one message, with the state of trying them."""

    def __init__(self, several: FormatsToTry, builder: Builder) -> None:
        """Makes the state for one message; a format's machine is loaded when it is first tried."""
        self.several = several
        self.openers = several.openers
        self.search = OpenSearch(self.openers)
        self.builder = builder
        self.tried: dict[int, TriedFormat] = {}
        self.current: TriedFormat | None = None  # the format that is read, or was read last
        self.home: TriedFormat | None = None  # the current one again, if the open island is none
        self.home_node: Node | None = None
        self.judge = Judge(self.begin)
        self.island_start: IslandStart | None = None
        self.opening_here: list[
            TriedFormat
        ] = []  # all formats that open at the place of the open island
        # Whether an island is read, or was read last, and whether it stands in a section.
        self.opened = self.in_section = False
        self.island_end = self.previous_island_end = 0
        """The offset after the last island, and after the one before."""
        self.begun = self.thought = -1
        """The offset of the open island, and of the island that ended right before it, or -1."""
        self.in_fence = self.fenced = False
        """Whether the last place, and the open island, are in a block of code."""
        self.alarms = 0  # the number of judgements on the end of the reasoning
        self.counted = 0  # the number of calls that were counted for their formats

    def feed(self, driver: Driver, chunk: str, *, final: bool) -> None:
        """Feeds the driver, and chooses the format again whenever the one that is read stumbles."""
        for start in range(0, len(chunk) or 1, _SLICE):
            rest = chunk[start : start + _SLICE]
            last = final and start + _SLICE >= len(chunk)
            while (misfit := _misfit(driver, rest, final=last)) is not None:
                assert self.island_start is not None
                assert self.current is not None
                self.alarms += misfit.in_reasoning
                rest = self.judge.judge(driver, self.island_start, self.current, misfit)
        self.judge.settle(self.builder)

    def governs(self, node: Node) -> bool:
        """Whether any format may open in a node's text, which is not between a section's calls."""
        return node.closes_at_end is not None and not node.skipping

    def enter_section(self) -> None:
        """Notes that an island opened in a section of the format that is read."""
        self.in_section = True

    @property
    def start(self) -> Machine:
        """The machine of a message in which no format is chosen yet."""
        return self.several.start

    @property
    def trying(self) -> bool:
        """Whether an island is read on trial, only to compare the formats."""
        return self.judge.trying

    def for_message(self, builder: Builder) -> TriedFormats:
        """Returns the same formats for another message."""
        return TriedFormats(self.several, builder)

    def settle(self, builder: Builder) -> None:
        """Joins the events of one `feed` of the message."""
        self.judge.settle(builder)

    # Text

    def text(self, driver: Driver) -> bool:
        """Emits text up to the next opener of any format, and enters it; False for more text."""
        self.builder.watch(watched=False)
        if self.opened:
            self.opened, self.island_end = False, driver.base + driver.position
        buffer, node = driver.buffer, driver.node
        start = driver.position
        while True:
            place, held = search_openers(self.search, driver, start)
            # A suffix that begins before the opener may become an earlier opener.
            if held >= 0 and (place < 0 or held <= place):
                place, found = held, None
                driver.hold_at(driver.base + held)
                break
            if place < 0:
                place, found = len(buffer), None
                break
            found = self._formats_at(driver, node, place)
            if found is None:
                driver.hold_at(driver.base + place)
            if found is None or found:
                break
            start = place + 1
        driver.give_text_to(place)
        if not found:
            return False
        self._enter(driver, found)
        return True

    def opens(self, driver: Driver, place: int) -> bool | None:
        """Whether an island opens at an index; None if more text is needed."""
        near = not driver.final and len(driver.buffer) - place <= LONGEST_OPENER
        if near and begins_at(self.openers, driver, place):
            return None
        if not stands_at(self.openers, driver, place):
            return False
        found = self._formats_at(driver, driver.node, place)
        return None if found is None else bool(found)

    def _formats_at(self, driver: Driver, node: Node, place: int) -> list[TriedFormat] | None:
        """Returns the formats that open at an index, in the order in which they are tried.

        The formats of the last calls come first, then those with the longest opener, then those with
        the lower index. Facts of a message that decide have to be in `known_beginnings.Place`, too.

        Returns:
            None if more text is needed: the name of a tool, which shows a call without its opener,
            may have begun, or inline code may end.
        """
        buffer, offset = driver.buffer, driver.base + place
        lengths = self.openers.at(buffer, place)
        longest = max(lengths.values(), default=0)
        quoted = offset >= 0 and self._is_quoted(driver, place, longest)
        if quoted is None:
            return None
        if quoted:
            return []
        self._count_calls()
        found: list[tuple[int, int, int, TriedFormat]] = []
        current = self.current
        for number, length in self._evidence(buffer, place, lengths):
            tried = self.tried.get(number)
            if tried is None:
                tried = self.tried[number] = TriedFormat(number, self.several)
            at = node if tried is current else tried.node
            if (
                offset < tried.resume
                or (not self.builder.tools and tried.settings.header.misfit == "text")
                or tried.quotes(self.builder, offset, self.island_end)
            ):
                continue
            opens = at is None or self._opens_in(driver, at, place)
            if opens is None:
                return None
            if not opens:
                continue
            found.append((-tried.last_call, -length, number, tried))
        ordered = [tried for *_, tried in sorted(found)]
        if len(ordered) > 1 and tag_of_tool(buffer, place, self.builder.tools):
            return with_named_first(ordered, buffer, place)
        return ordered

    def _evidence(
        self, buffer: str, place: int, lengths: dict[int, int]
    ) -> Iterator[tuple[int, int]]:
        """Yields the formats that may open at an index, each with the length of what opens it."""
        for number, length in lengths.items():
            opener = buffer[place : place + length]
            yield number, length_as_evidence(opener) if self.several.is_auto else length
        # The format that is read may open without its opener.
        if self.current is not None and self.current.number not in lengths:
            yield self.current.number, 0

    @staticmethod
    def _opens_in(driver: Driver, node: Node, place: int) -> bool | None:
        """Whether an opener of a node stands at an index, or is missing; None for more text."""
        if node.opener.match(driver.buffer, place):
            return True
        return lacks_opener(node, driver.buffer, place, driver.builder.tools, final=driver.final)

    def _is_quoted(self, driver: Driver, place: int, length: int) -> bool | None:
        """Whether an opener is in inline code, or in a code block when no tools are known.

        None if more text is needed.
        """
        inline = is_in_code(driver, place)
        if inline is None:
            return None
        builder, buffer, offset = self.builder, driver.buffer, driver.base + place
        note_block(builder, driver.blocks, offset, self.island_end, is_fence=buffer[place] in "`~")
        self.in_fence = self.several.is_auto and driver.blocks.began >= 0
        if not (inline or (self.in_fence and not builder.tools)):
            return False
        note_quoted(builder, offset, buffer[place : place + length], is_inline=inline)
        return True

    def _count_calls(self) -> None:
        """Notes the last call of each format, for the order in which they are tried."""
        calls = self.builder.calls
        if self.counted < len(calls):
            by_id = {each.settings.header.id: each for each in self.tried.values() if each.node}
            for index in range(self.counted, len(calls)):
                by_id[calls[index].format].note_call(index)
            self.counted = len(calls)

    # Islands

    def _enter(self, driver: Driver, found: list[TriedFormat]) -> None:
        """Begins an island in the first of the formats that open there."""
        if self.trying:
            raise Ended
        self.home, self.home_node = self.current, driver.node
        self.in_section, self.fenced, self.previous_island_end = (
            False,
            self.in_fence,
            self.island_end,
        )
        self.opening_here, self.alarms = found, 0
        place = driver.base + driver.position
        self.thought = self.begun if self.island_end == place else -1
        self.begun = place
        several = len(found) > 1
        self.island_start = IslandStart.of(driver) if several else None
        self.judge.open(self.builder, found[1:])
        self.begin(driver, found[0], watched=several)

    def begin(self, driver: Driver, tried: TriedFormat, *, watched: bool) -> None:
        """Begins to read the open island in a format, at the driver's position.

        Args:
            driver: the driver.
            tried: the format, with what is known of it in this message.
            watched: whether a repair raises `FormatMisfit`, as another format may read the text.
        """
        place = driver.position
        self.opened, self.island_end = True, self.previous_island_end
        self.counted = min(self.counted, len(self.builder.calls))
        self.builder.watch(watched=watched)
        self.builder.begin_island()
        home, home_node = self.home, self.home_node
        assert home_node is not None
        # Another format opens here, so the last one's open calls and sections end before it.
        if tried is not home:
            driver.close(home_node.after_text[0])
            if home is not None:
                home.stand_on(home.machine.node(home_node.after_text[1]))
        self.current = tried
        self.builder.use(tried.settings)
        self.builder.read_signs(tried.machine.signs, self.several.around)
        start = tried.machine.start
        node = tried.node or start
        tried.stand_on(node)
        driver.enter_island(home_node if tried is home else node, place, start)

    def read_in_next(self, driver: Driver, place: int, resume: int) -> bool:
        """Tries the next format for an island that was given back; False if no format is left.

        Args:
            driver: the driver, whose builder has taken the island back.
            place: the index where the island began.
            resume: the index before which this format opens nothing.
        """
        current = self.current
        assert current is not None
        if self.trying:
            raise NoIsland
        current.resume_at(driver.base + resume)
        queue = self.judge.queue
        if queue:
            following = queue.pop(0)
            driver.move_to(place)
            self.begin(driver, following, watched=bool(queue) and self.island_start is not None)
            return True
        self.opened = False
        self.builder.watch(watched=False)
        self.current = self.home
        if self.home is not None:
            self.builder.use(self.home.settings)
        assert self.home_node is not None
        driver.stand_on(self.home_node)
        return False

    def confirm(self, driver: Driver) -> None:
        """Checks an island that is about to become certain.

        Raises:
            NotACall: the island is not a call of this format, or another format is tried first.
        """
        builder, current, draft = driver.builder, self.current, driver.builder.draft
        if draft is None or draft.name is None or current is None:
            return
        known = names_a_tool(builder)
        if known:
            # If the name of the tool is not in the text, any object may stand there.
            is_put_in = driver.previous is not None and implies_tool(driver.previous)
            if not (self.several.is_auto and is_put_in):
                return
            if not begins_its_arguments(builder, driver.buffer, driver.position):
                raise NotACall
            return
        if self.fenced and not self.in_section:
            raise NotACall
        opener = driver.buffer[driver.island : driver.position]
        # A tag alone on the first line of the message is not part of a sentence.
        alone = driver.buffer.startswith(("\n", "\r"), driver.position)
        alone = alone and driver.base + driver.island == 0
        # A name without any markup, alone in its line, is a word: `Ok`, or `json` above an object.
        prose = is_code_block(opener) or opener.strip() == draft.name
        prose = prose or (is_markup(opener) and not alone)
        prose = prose or is_shown_block(builder, opener, current.machine.signs.weights)
        prose = prose and self.several.is_auto
        if prose and not follows_thought(current.machine, builder.source, self.thought):
            raise NotACall
        if not is_name(draft.name) and (self.several.is_auto or draft.name.strip()):
            raise NotACall
        if self.in_section:
            return
        judge = self.judge
        may_wait = known is False and judge.queue and not judge.trying
        if may_wait and current.number not in judge.doubted:
            # The other formats come first; if none of them reads it, this one does after all.
            judge.doubted.add(current.number)
            judge.queue.append(current)
            raise NotACall

    # Reasoning

    def other_ends(self, driver: Driver, node: Node) -> OtherEnds | None:
        """Returns the ends of the reasoning in other formats; None if they do not matter."""
        island_start, current = self.island_start, self.current
        if island_start is None or current is None or not self.builder.watched or self.trying:
            return None
        if self.alarms >= MOST_ALARMS:
            return None
        buffer, place = driver.buffer, island_start.origin - driver.base
        own = end_of(self.several.traits[current.number].ends, buffer, place)
        numbers = [each.number for each in self.opening_here if each is not current]
        found = {
            number: end_of(self.several.traits[number].ends, buffer, place) for number in numbers
        }
        others = {number: end for number, end in found.items() if end is not None}
        if all(own is not None and own.end == end.end for end in others.values()):
            return None
        here = {each.number for each in self.opening_here}
        return OtherEnds(others, node, self.openers, here, self.judge.passed)


def _misfit(driver: Driver, chunk: str, *, final: bool) -> FormatMisfit | None:
    """Feeds the driver; returns the sign that the text is in another format, or None."""
    try:
        driver.take(chunk, final=final)
    except FormatMisfit as misfit:
        return misfit
    return None

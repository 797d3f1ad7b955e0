"""Reads whole messages in one of several formats by remembering how earlier messages began.

Example: a message that began with `<tool_call>{"name"` was read in one format; the next message
with this beginning is read in it at once.

The driver tries the formats that open at a place until one goes on without a repair. The choice is
certain at the place where a stream would make it: no text after that matters. So the beginning of
the message up to there is remembered with the format, and the next message that begins so is read
in that format, at a tenth of the driver's cost. If more has to be judged (text that may quote a
call, an unknown tool, an island that is not sound), this reader gives up, and the driver reads the
message.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from toolgrammar.core.evidence.reasoning_marks import REASONING_CLOSERS
from toolgrammar.core.machine.repairs import strays_of
from toolgrammar.core.machine.retry_budget import RetryBudget
from toolgrammar.core.several.open_search import OpenSearch
from toolgrammar.core.shortcuts.whole.shortcut_rules import is_judged, may_be_none
from toolgrammar.core.shortcuts.whole.whole_reader import WholeReader
from toolgrammar.core.trust.call_or_text import is_name, opens_as_prose
from toolgrammar.core.trust.quoted_calls import is_doubtful
from toolgrammar.core.trust.stray_reasoning_closer import with_halves
from toolgrammar.patterns.partial import MAX_TOKEN, alternation
from toolgrammar.values.patterns import compile_pattern

if TYPE_CHECKING:
    import re
    from collections.abc import Mapping

    from toolgrammar.core.machine.machine import Node
    from toolgrammar.core.several.tried_format import FormatsToTry
    from toolgrammar.values.calls import ToolCall
    from toolgrammar.values.tools import ToolSpec

LONGEST: Final = 96
"""The most characters of a beginning that is remembered."""
MOST_BEGINNINGS: Final = 128
"""The most beginnings that are remembered."""
_QUOTES: Final = ("`", "~~~")
"""The marks that quote a call in prose."""


_LONG: Final = 4096
"""The length of a text from which on the results of its searches are kept."""


class Place(NamedTuple):
    """The context of a place that decides, with the text after it, which format opens there."""

    before: str
    """The character before it, for anchors and look-behinds; "" at the beginning of the text."""
    last: int
    """The number of the format of the island before it; -1 if there is none."""
    node: Node | None
    """The node of that format after that island; None if there is none."""
    is_adjacent: bool
    """Whether that island ends at this place."""


class WholeMessage:
    """The parts of one message, and the reason why it could not be read."""

    def __init__(self, text: str, tools: Mapping[str, ToolSpec]) -> None:
        self.text = text
        self.tools = tools
        self.calls: list[ToolCall] = []
        self.parts: list[str] = []
        """The text between calls and reasoning."""
        self.reasoning: list[str] = []
        self.stopped: tuple[Place, int] | None = None
        """The place and index of an island that could not be read; None if there is none."""
        self.stuck = -1
        """The format in which that island is not sound; -1 if its format is not known."""

    def stop(self, place: Place, end: int) -> None:
        """Notes the place and index of an island that could not be read."""
        self.stopped = place, end

    def stick(self, number: int) -> None:
        """Notes the format in which the island needs a judgement."""
        self.stuck = number


class KnownBeginnings:
    """The reader of whole messages, which remembers the beginnings of their islands."""

    def __init__(self, several: FormatsToTry) -> None:
        self.several = several
        self.budget = RetryBudget()
        self.lessons = RetryBudget()
        """Whether learning the beginnings of messages has paid off lately."""
        self._quotes = [compile_pattern(e.opener) for each in several.traits for e in each.quotes]
        self._beginnings: dict[Place, list[tuple[str, int]]] = {}
        """The remembered beginnings by their place, each with the format that reads it."""
        self._closers = with_halves({**REASONING_CLOSERS, **several.tags})
        """The closers of reasoning, and the first halves of those of two special tokens."""
        self._count = 0
        self._other_ends: dict[int, tuple[re.Pattern[str], re.Pattern[str]]] = {}
        """For a format, the openers of its reasoning, and the ends of it in other formats."""

    def run(self, message: WholeMessage) -> bool:
        """Reads a message; returns whether all of it is sound and needs no judgement."""
        openers, text = self.several.openers, message.text
        # In a short text, searching again costs less than keeping the results.
        find = openers.find if len(text) < _LONG else OpenSearch(openers).find
        position, length, last = 0, len(text), -1
        node: Node | None = None
        while position < length:
            found = find(text, position)
            end = length if found < 0 else found
            between = text[position:end]
            # Text after a call may belong to it: a stray closer, or the next call of a list.
            if between:
                if node is not None and not _leaves(node, text, position, found):
                    return False
                message.parts.append(between)
            if found < 0:
                break
            # After a backtick a call may be an example.
            if between and self._may_quote(between):
                return False
            is_adjacent = not between and last >= 0
            place = Place(text[end - 1 : end] if end else "", last, node, is_adjacent)
            # If no message began so before, the driver has to choose the format.
            number = self._reader(place, text, end)
            if number < 0:
                message.stop(place, end)
                return False
            # Text with signs of calls needs a judgement.
            if between and is_doubtful(between, self.several.around, message.tools):
                return False
            # After reasoning another format may read on; calls of two formats need a judgement.
            if number != last and last >= 0:
                assert node is not None
                if message.calls or node.after_text[0]:
                    return False
                node = None
            behind = self._island(message, number, node, end)
            if behind is None:
                message.stop(place, end)
                return False
            last, (node, position) = number, behind
        # Some reports at the end of a message depend on all of its text.
        return not any(self._is_odd(part, message) for part in message.parts)

    def remember(self, place: Place, beginning: str, number: int) -> None:
        """Remembers the format that reads an island with this beginning at such a place."""
        if self._count < MOST_BEGINNINGS:
            self._count += 1
            known = self._beginnings.get(place, [])
            # The longest come first: where other formats give up only late in the text, a longer
            # beginning is needed to choose the format that reads it.
            longest = sorted([*known, (beginning, number)], key=lambda each: -len(each[0]))
            self._beginnings[place] = longest

    def _reader(self, place: Place, text: str, start: int) -> int:
        """Returns the format that reads the island at an index; -1 if it is not known."""
        for beginning, number in self._beginnings.get(place, ()):
            if text.startswith(beginning, start):
                return number
        return -1

    def _island(
        self, message: WholeMessage, number: int, node: Node | None, start: int
    ) -> tuple[Node, int] | None:
        """Reads calls or reasoning; returns the node and index after them, or None if not sound."""
        text, specs, several = message.text, message.tools, self.several
        rules = several.rules(number)
        # The driver decodes entities, and inserts line ends between envelopes that are messages of
        # their own.
        if rules is None or rules.has_lines or (rules.entities and "&" in text):
            return None
        reading = WholeReader(rules.machine or several.load(number)[0], rules, text, specs)
        behind = reading.island_at(node, start)
        if reading.in_group or reading.parts:  # a section that goes on, or contains text
            behind = None
        calls, is_thought = reading.calls, bool(reading.reasoning)
        # An island with both reasoning and calls is left to the driver.
        if behind is not None and not is_thought and self._are_certain(text, start, calls, specs):
            judged = rules.judges and is_judged(rules, calls, specs)
            # A name that means no call in one format may mean that in all of them.
            judged = judged or may_be_none(several.no_calls, calls, specs)
            message.calls.extend(calls)
            return None if judged else behind
        if behind is not None and is_thought and not calls and several.traits[number].ends:
            message.reasoning.extend(reading.reasoning)
            signs = reading.machine.signs
            is_odd = any(signs.are_in(thought, specs) for thought in reading.thoughts)
            # A result of a tool may be written as in another format.
            is_odd = is_odd or any(
                map(several.around.begin_other_turn_in_thought, reading.reasoning)
            )
            if not is_odd and self._ends_so(number, text, start, behind[1]):
                return behind
        # The format is known, but the island is not sound in it.
        message.stick(number)
        return None

    def _ends_so(self, number: int, text: str, start: int, behind: int) -> bool:
        """Whether reasoning that a format reads up to an index ends no earlier in another one."""
        found = self._other_ends.get(number)
        if found is None:
            # Only ends that the own format does not have are searched; its own ended the reading.
            own = self.several.traits[number].ends
            ends = {each.end for others in self.several.traits for each in others.ends} - {
                each.end for each in own
            }
            opener = compile_pattern("|".join(f"(?:{each.opener})" for each in own))
            end = compile_pattern(alternation(f"(?:{each})" for each in sorted(ends)))
            found = self._other_ends[number] = opener, end
        opened = found[0].match(text, start)
        ended = opened and found[1].search(text, opened.end(), behind + MAX_TOKEN)
        # A match that reaches as far as the own end is that end, or comes after it.
        return opened is not None and (not ended or ended.end() >= behind)

    def _may_quote(self, text: str) -> bool:
        """Whether a call after a text may be quoted by it."""
        return any(sign in text for sign in _QUOTES) or any(q.search(text) for q in self._quotes)

    def _are_certain(
        self, text: str, start: int, calls: list[ToolCall], specs: Mapping[str, ToolSpec]
    ) -> bool:
        """Whether the calls that were read are certain, so that no other format is tried."""
        if not calls:
            return False
        # If tools are known, only calls of these tools are certain.
        if specs:
            return all(call.name in specs for call in calls)
        prose = self.several.is_auto and opens_as_prose(text, start)
        return not prose and all(is_name(call.name) for call in calls)

    def _is_odd(self, text: str, message: WholeMessage) -> bool:
        """Whether a text contains something that is reported at the end of a message."""
        if any(closer in text for closer in self._closers):
            return True
        return self.several.signs.are_in(text, message.tools)


def _leaves(node: Node, text: str, position: int, following: int) -> bool:
    """Whether the text after an island, up to the next opener of any format, is only text.

    Args:
        node: the node of the island's format after it.
        text: the message.
        position: the index after the island.
        following: the index of the next opener; -1 if there is none.
    """
    end = len(text) if following < 0 else following
    # In an open call or section the text still belongs to it.
    if node.closes_at_end is None or node.closes_group or node.skipping:
        return False
    # A closer may be left over from the call.
    if strays_of(node).pattern.match(text[position:end].lstrip()):
        return False
    # The start node of a format has no openers that `find` does not search.
    if node is node.machine.start:
        return True
    # The node after a call may have openers that the start node does not have.
    own = node.opener.search(text, position, end + MAX_TOKEN)
    return own is None or own.start() >= end

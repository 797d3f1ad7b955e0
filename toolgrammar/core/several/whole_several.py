"""Reads messages of several formats whose calls are plain in the format that reads them.

The driver tries the formats that open at a place until one goes on without a repair. Which one that
is, is certain once a stream would have it: from then on no text behind it counts. So what a message
began with up to there is remembered with the format, and the next that begins so is read in it at
once, at a tenth of the driver's price. Where more has to be judged (text that may quote a call, a
tool that is unknown, an island that is not plain) this gives up, and the driver reads the message.
Example: a message that began with `<tool_call>{"name"` was read as one format; the next that begins so is read in it at once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple, Protocol

from toolgrammar.core.machine.repairs import strays_of
from toolgrammar.core.machine.retry_budget import RetryBudget
from toolgrammar.core.several.alternative import Formats
from toolgrammar.core.several.open_search import OpenSearch
from toolgrammar.core.shortcuts.whole.whole_reader import WholeReader
from toolgrammar.core.shortcuts.whole.whole_rules import is_judged, may_be_none
from toolgrammar.core.trust.evidence import is_name, opens_as_prose
from toolgrammar.core.trust.standing import is_doubtful
from toolgrammar.core.trust.stray_reasoning_closer import with_halves
from toolgrammar.patterns.partial import MAX_TOKEN, any_of
from toolgrammar.values.patterns import compile_pattern

if TYPE_CHECKING:
    import re
    from collections.abc import Mapping

    from toolgrammar.core.evidence.signs import SeveralSigns, Signs
    from toolgrammar.core.machine.machine import Node
    from toolgrammar.core.shortcuts.whole.shortcut_rules import ShortcutRules
    from toolgrammar.values.calls import ToolCall
    from toolgrammar.values.tools import ToolSpec

LONGEST: Final = 96
"""Characters of a beginning that is remembered, at most."""
MOST_BEGINNINGS: Final = 128
"""Beginnings that are remembered."""
_QUOTES: Final = ("`", "~~~")
"""What quotes a call in prose: `<tool_call>` in a sentence is a word."""


_LONG: Final = 4096
"""Characters from which on what was found ahead is kept."""


class SeveralRules(Formats, Protocol):
    """What this asks of several formats."""

    signs: Signs
    around: SeveralSigns
    tags: Mapping[str, str]
    no_calls: str

    def rules(self, number: int) -> ShortcutRules | None:
        """Returns what sound messages of a format depend on; None where it needs the driver."""
        ...


class Place(NamedTuple):
    """What counts for who opens at a place, besides the text from there on."""

    before: str
    """The character before it, for anchors and look-behinds; "" where the text begins."""
    last: int
    """The format of the island before it; -1 where there is none."""
    node: Node | None
    """Where that format stands; None likewise."""
    is_adjacent: bool
    """Whether that island ends there."""


class WholeMessage:
    """One message: what it holds, and what kept it from being read."""

    def __init__(self, text: str, tools: Mapping[str, ToolSpec]) -> None:
        self.text = text
        self.tools = tools
        self.calls: list[ToolCall] = []
        self.parts: list[str] = []
        """The text between calls and reasoning."""
        self.reasoning: list[str] = []
        self.stopped: tuple[Place, int] | None = None
        """Where an island opens that could not be read."""
        self.stuck = -1
        """The format in which it is not plain; -1 where it is not known which format reads it."""

    def stop(self, place: Place, end: int) -> None:
        """Notes where an island opens that could not be read."""
        self.stopped = place, end

    def stick(self, number: int) -> None:
        """Notes the format in which the message takes a judgement."""
        self.stuck = number


class WholeSeveral:
    """Reads messages of several formats; it keeps nothing of them but how their islands begin."""

    def __init__(self, several: SeveralRules) -> None:
        self.several = several
        self.budget = RetryBudget()
        self.lessons = RetryBudget()
        """Whether it is worth to learn how a message began; the first of all never is."""
        self._quotes = [compile_pattern(e.opener) for found in several.quotes for e in found]
        self._beginnings: dict[Place, list[tuple[str, int]]] = {}
        """By what stands before them, texts with the format that reads what begins with them."""
        self._closers = with_halves(several.tags)
        """What closes reasoning, and what may be left of that."""
        self._count = 0
        self._other_ends: dict[int, tuple[re.Pattern[str], re.Pattern[str]]] = {}
        """For a format, what opens its reasoning, and what ends that of all others."""

    def run(self, message: WholeMessage) -> bool:
        """Reads a message; tells whether all of it is plain and leaves nothing to judge."""
        openers, text = self.several.openers, message.text
        # In a short text it costs less to search again than to keep what was found.
        find = openers.find if len(text) < _LONG else OpenSearch(openers).find
        position, length, last = 0, len(text), -1
        node: Node | None = None
        while position < length:
            found = find(text, position)
            end = length if found < 0 else found
            between = text[position:end]
            # What stands behind a call may belong to it: a closer that is left over, or the next of
            # a list.
            if between:
                if node is not None and not _leaves(node, text, position, found):
                    return False
                message.parts.append(between)
            if found < 0:
                break
            # Behind a backtick a call may be an example.
            if between and self._may_quote(between):
                return False
            is_adjacent = not between and last >= 0
            place = Place(text[end - 1 : end] if end else "", last, node, is_adjacent)
            # Nothing that began so was read before: the driver has to choose the format.
            number = self._reader(place, text, end)
            if number < 0:
                message.stop(place, end)
                return False
            # Text with signs of calls in it takes a judgement.
            if between and is_doubtful(between, self.several.around, message.tools):
                return False
            # Behind reasoning another format may read on; calls of two formats take a judgement.
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
        # What is reported at the end of a message depends on all of its text.
        return not any(self._is_odd(part, message) for part in message.parts)

    def remember(self, place: Place, beginning: str, number: int) -> None:
        """Notes which format reads what begins in this way at such a place."""
        if self._count < MOST_BEGINNINGS:
            self._count += 1
            known = self._beginnings.get(place, [])
            # The longest first: which format reads on shows where those before it have given up.
            longest = sorted([*known, (beginning, number)], key=lambda each: -len(each[0]))
            self._beginnings[place] = longest

    def _reader(self, place: Place, text: str, start: int) -> int:
        """Returns the format that reads what stands at a place; -1 where that is not known."""
        for beginning, number in self._beginnings.get(place, ()):
            if text.startswith(beginning, start):
                return number
        return -1

    def _island(
        self, message: WholeMessage, number: int, node: Node | None, start: int
    ) -> tuple[Node, int] | None:
        """Reads calls, or reasoning; returns the node and the place behind, None where not plain."""
        text, specs, several = message.text, message.tools, self.several
        rules = several.rules(number)
        # Entities have to be decoded, and where messages are lines the texts of envelopes are
        # parted.
        if rules is None or rules.has_lines or (rules.entities and "&" in text):
            return None
        reading = WholeReader(rules.machine or several.load(number)[0], rules, text, specs)
        behind = reading.island_at(node, start)
        if reading.in_group or reading.parts:  # a section that goes on, or holds text
            behind = None
        calls, is_thought = reading.calls, bool(reading.reasoning)
        # Calls that reasoning stands before in one island are left to the driver.
        if behind is not None and not is_thought and self._are_certain(text, start, calls, specs):
            judged = rules.judges and is_judged(rules, calls, specs)
            # The name that stands for no call in one format may do so in all of them.
            judged = judged or may_be_none(several.no_calls, calls, specs)
            message.calls.extend(calls)
            return None if judged else behind
        if behind is not None and is_thought and not calls and several.ends[number]:
            message.reasoning.extend(reading.reasoning)
            if self._ends_so(number, text, start, behind[1]):
                return behind
        # The format is known and has not learned this way to write a call.
        message.stick(number)
        return None

    def _ends_so(self, number: int, text: str, start: int, behind: int) -> bool:
        """Whether reasoning that a format reads up to a place ends nowhere before in another one."""
        found = self._other_ends.get(number)
        if found is None:
            # What ends the reasoning in its own format was found by reading it.
            own = self.several.ends[number]
            ends = {each.end for others in self.several.ends for each in others} - {
                each.end for each in own
            }
            opener = compile_pattern("|".join(f"(?:{each.opener})" for each in own))
            end = compile_pattern(any_of(f"(?:{each})" for each in sorted(ends)))
            found = self._other_ends[number] = opener, end
        opened = found[0].match(text, start)
        ended = opened and found[1].search(text, opened.end(), behind + MAX_TOKEN)
        # What reaches as far as its own end is that end, or comes behind it.
        return opened is not None and (not ended or ended.end() >= behind)

    def _may_quote(self, text: str) -> bool:
        """Whether what stands behind a text may be an example in it."""
        return any(sign in text for sign in _QUOTES) or any(q.search(text) for q in self._quotes)

    def _are_certain(
        self, text: str, start: int, calls: list[ToolCall], specs: Mapping[str, ToolSpec]
    ) -> bool:
        """Whether what was read are calls, whoever else might judge them."""
        if not calls:
            return False
        # With tools, only a call of one of them is certain whatever it looks like.
        if specs:
            return all(call.name in specs for call in calls)
        prose = self.several.wary and opens_as_prose(text, start)
        return not prose and all(is_name(call.name) for call in calls)

    def _is_odd(self, text: str, message: WholeMessage) -> bool:
        """Whether a text holds what is reported at the end of a message."""
        if any(closer in text for closer in self._closers):
            return True
        return self.several.signs.are_in(text, message.tools)


def _leaves(node: Node, text: str, position: int, following: int) -> bool:
    """Whether the text behind an island is nothing else up to the next opener of any format.

    Args:
        node: where the format of the island stands.
        text: the message.
        position: where the island ended.
        following: where the next opener stands; -1 where there is none.
    """
    end = len(text) if following < 0 else following
    if node.end is None or not is_plain(text[position:end], node, is_first=False):
        return False
    # At the start of its format nothing opens that `find` does not know.
    if node is node.machine.start:
        return True
    # Behind a call its format may take what opens nothing where a message begins.
    own = node.opener.search(text, position, end + MAX_TOKEN)
    return own is None or own.start() >= end


def is_plain(text: str, node: Node, *, is_first: bool) -> bool:
    """Whether text is nothing else: no part of a section, and no closer that is left over."""
    if node.closes_group or node.skipping:
        return False
    # Before the first call no closer can be left over from one.
    return is_first or not strays_of(node).pattern.match(text.lstrip())

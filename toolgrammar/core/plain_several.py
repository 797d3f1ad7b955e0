"""Reads messages of several formats whose calls are plain in the format that reads them.

The driver tries the formats that open at a place until one goes on without a repair. Which one that
is, is certain once a stream would have it: from then on no text behind it counts. So what a message
began with up to there is remembered with the format, and the next that begins so is read in it at
once, at a tenth of the driver's price. Where more has to be judged (text that may quote a call, a
tool that nobody knows, an island that is not plain) this gives up, and the driver reads the message.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple, Protocol

from toolgrammar.core.evidence import is_name
from toolgrammar.core.machine import MAX_TOKEN
from toolgrammar.core.patience import Patience
from toolgrammar.core.plain_calls import is_plain
from toolgrammar.core.straight_rules import is_judged
from toolgrammar.values.patterns import compile_pattern

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from toolgrammar.core.machine import Node
    from toolgrammar.core.openers import Openers
    from toolgrammar.core.plain_calls import PlainReading
    from toolgrammar.core.quotes import Quote
    from toolgrammar.core.unread import Signs
    from toolgrammar.values.calls import ToolCall
    from toolgrammar.values.tools import ToolSpec

LONGEST: Final = 96
"""Characters of a beginning that is remembered, at most."""
MOST_BEGINNINGS: Final = 128
"""Beginnings that are remembered."""
_QUOTES: Final = ("`", "~~~")
"""What quotes a call in prose: `<tool_call>` in a sentence is a word."""
_PROSE: Final = compile_pattern(r"`{3,}|~{3,}|<[a-z]+>")
"""How prose opens, too: a fence, or a tag of one word."""


class PlainFormats(Protocol):
    """What this asks of several formats."""

    openers: Openers
    quotes: Sequence[Sequence[Quote]]
    signs: Signs
    tags: Mapping[str, str]
    wary: bool

    def plain(self, number: int, specs: Mapping[str, ToolSpec]) -> PlainReading | None:
        """Gives what reads plain calls of a format; None where it has none."""
        ...


class Place(NamedTuple):
    """What counts for who opens at a place, besides the text from there on."""

    before: str
    """The character before it, for anchors and look-behinds; "" where the text begins."""
    last: int
    """The format of all calls before it; -1 where there are none."""
    node: Node | None
    """Where that format stands; None likewise."""
    is_adjacent: bool
    """Whether a call ends there."""


class PlainSeveral:
    """Reads messages of several formats; it keeps nothing of a message but how its calls begin."""

    __slots__ = ("_beginnings", "_count", "_quotes", "lessons", "patience", "several")

    def __init__(self, several: PlainFormats) -> None:
        self.several = several
        self.patience = Patience()
        self.lessons = Patience()
        """Whether it is worth to learn how a message began."""
        self._quotes = [compile_pattern(e.opener) for found in several.quotes for e in found]
        self._beginnings: dict[Place, list[tuple[str, int]]] = {}
        """By what stands before them, texts with the format that reads what begins with them."""
        self._count = 0

    def run(
        self,
        text: str,
        specs: Mapping[str, ToolSpec],
        calls: list[ToolCall],
        parts: list[str],
        unknown: list[tuple[Place, int]],
    ) -> bool:
        """Reads a message; tells whether all of it is plain and leaves nothing to judge.

        Args:
            text: the message.
            specs: the known tools by their names.
            calls: takes the calls.
            parts: takes the text between them.
            unknown: takes the place of a call of which is not known yet who reads it.
        """
        several, position, length, last = self.several, 0, len(text), -1
        node: Node | None = None
        while position < length:
            found = several.openers.find(text, position)
            end = length if found < 0 else found
            between = text[position:end]
            if between:
                if node is not None and not _leaves(node, text, position, found):
                    return False
                parts.append(between)
            if found < 0:
                break
            if between and self._may_quote(between):
                return False
            is_adjacent = not between and last >= 0
            place = Place(text[end - 1 : end] if end else "", last, node, is_adjacent)
            number = self._reader(place, text, end)
            if number < 0:
                unknown.append((place, end))
                return False
            if last not in (-1, number):
                return False
            reading = several.plain(number, specs)
            if reading is None or (reading.rules.entities and "&" in text):
                return False
            read: list[ToolCall] = []
            behind = reading.island(text, node, end, read)
            if behind is None or not self._are_certain(text, end, read, specs):
                return False
            if reading.rules.judges and is_judged(reading.rules, read, specs):
                return False
            calls += read
            last, (node, position) = number, behind
        return not any(self._is_odd(part, specs) for part in parts)

    def remember(self, place: Place, beginning: str, number: int) -> None:
        """Notes which format reads what begins in this way at such a place."""
        if self._count < MOST_BEGINNINGS:
            self._count += 1
            self._beginnings.setdefault(place, []).append((beginning, number))

    def _reader(self, place: Place, text: str, start: int) -> int:
        """Gives the format that reads what stands at a place; -1 where that is not known."""
        for beginning, number in self._beginnings.get(place, ()):
            if text.startswith(beginning, start):
                return number
        return -1

    def _may_quote(self, text: str) -> bool:
        """Whether what stands behind a text may be an example in it."""
        return any(sign in text for sign in _QUOTES) or any(q.search(text) for q in self._quotes)

    def _are_certain(
        self, text: str, start: int, calls: list[ToolCall], specs: Mapping[str, ToolSpec]
    ) -> bool:
        """Whether what was read are calls, whoever else might judge them."""
        if not calls:
            return False
        if specs:
            return all(call.name in specs for call in calls)
        prose = self.several.wary and _PROSE.match(text, start)
        return not prose and all(is_name(call.name) for call in calls)

    def _is_odd(self, text: str, specs: Mapping[str, ToolSpec]) -> bool:
        """Whether a text holds what is reported at the end of a message."""
        several = self.several
        return any(tag in text for tag in several.tags) or several.signs.are_in(text, specs)


def _leaves(node: Node, text: str, position: int, following: int) -> bool:
    """Whether the text behind a call is nothing else up to the next opener of any format.

    Args:
        node: where the format of the call stands.
        text: the message.
        position: where the call ended.
        following: where the next opener stands; -1 where there is none.
    """
    end = len(text) if following < 0 else following
    if node.end is None or not is_plain(text[position:end], node, is_first=False):
        return False
    # Behind a call its format may take what opens nothing where a message begins.
    if node is node.machine.start:
        return True
    own = node.opener.search(text, position, end + MAX_TOKEN)
    return own is None or own.start() >= end

"""Searches text for the openers of several formats, and for suffixes that may become openers.

Example: in `Hi <tool_` nothing opens yet, and the suffix from `<` on is held back.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgrammar.core.machine.machine import LONGEST_OPENER, SHORT
from toolgrammar.core.several.openers import first_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from toolgrammar.core.machine.machine import Node
    from toolgrammar.core.several.openers import AnyOpeners
    from toolgrammar.core.state.driver import Driver


class _Ahead:
    """The next result of one search in a message, kept so that no text is searched twice.

    Several searches run over the same text. If one finds something at every place and another one
    finds nothing up to the end, the other would search all of the text again for each place.
    """

    def __init__(self) -> None:
        self._begin = self._end = 0
        """The stretch of the message, by offsets, for which the result is known."""
        self._place: int | None = None
        """The offset of the result; None if nothing was found there."""

    def find(self, search: Callable[[str, int], int], text: str, start: int, base: int) -> int:
        """Returns the first index from `start` on at which something is found, or -1.

        Args:
            search: the function that searches a text from an index on.
            text: the message from the offset `base` on, as far as it has come.
            start: the index in the text.
            base: the offset of the text in the message.
        """
        begin, end = base + start, base + len(text)
        # More text may add a match, so the result is valid only for this end of the text.
        known = end == self._end and begin >= self._begin
        if not known or (self._place is not None and self._place < begin):
            found = search(text, start)
            self._begin, self._end = begin, end
            self._place = base + found if found >= 0 else None
        return -1 if self._place is None else self._place - base


class OpenSearch:
    """Finds the openers of several formats in one message, one after the other."""

    def __init__(self, openers: AnyOpeners) -> None:
        self.openers = openers
        """The openers that are searched."""
        self._any = [(each.wholes.find, _Ahead()) for each in openers.sets]
        self._own = _Ahead()
        self._own_node: Node | None = None

    def find(self, text: str, start: int, base: int = 0) -> int:
        """Returns the first index from `start` on at which any format opens, or -1.

        Args:
            text: the message from the offset `base` on, as far as it has come.
            start: the index in the text.
            base: the offset of the text in the message.
        """
        return first_of([ahead.find(search, text, start, base) for search, ahead in self._any])

    def find_own(self, node: Node, text: str, start: int, base: int) -> int:
        """Returns the first index of an opener of a node, such as that of a next call, or -1."""
        if node is not self._own_node:
            self._own, self._own_node = _Ahead(), node

        def search(text: str, start: int) -> int:
            match = node.opener.search(text, start)
            return -1 if match is None else match.start()

        return self._own.find(search, text, start, base)


def search_openers(search: OpenSearch, driver: Driver, start: int) -> tuple[int, int]:
    """Returns the index of the next opener and that of a suffix that may become one, each or -1."""
    node, buffer, openers = driver.node, driver.buffer, search.openers
    if driver.held_at == driver.base + start and not driver.final:
        # Text that was held back is checked first, else each new character would have all of it
        # searched again.
        length = len(buffer) - start
        if length <= LONGEST_OPENER and begins_at(openers, driver, start):
            return -1, start
        if SHORT < length <= LONGEST_OPENER:
            return _first_in_tail(openers, driver, start)
    place = search.find(buffer, start, driver.base)
    # Text that is longer than any opener can't become one, so only a suffix is searched for it.
    tail = max(start, len(buffer) - LONGEST_OPENER)
    # An opener before that suffix comes first, whatever the suffix becomes.
    no_tail = driver.final or 0 <= place < tail
    held = -1 if no_tail else openers.held(buffer, tail)
    if node is not node.machine.start:
        # A node inside a format may have openers that no start node has, such as a list's next
        # call.
        place = first_of((place, search.find_own(node, buffer, start, driver.base)))
        begun = None if no_tail else node.opener_beginnings.search(buffer, tail)
        held = first_of((held, begun.start() if begun is not None else -1))
    return place, held


def _first_in_tail(openers: AnyOpeners, driver: Driver, start: int) -> tuple[int, int]:
    """Returns the result of `search_openers` for a suffix that was held back up to now."""
    node, buffer = driver.node, driver.buffer
    place = start if stands_at(openers, driver, start) else -1
    if place < 0:
        place = openers.find_any(buffer, start + 1)
        if node is not node.machine.start:
            found = (node.opener, node.opener_beginnings)
            matches = [match for each in found if (match := each.search(buffer, start + 1))]
            place = first_of((place, *(match.start() for match in matches)))
    # A whole opener may still become a longer one.
    begins = place >= 0 and begins_at(openers, driver, place)
    return (-1, place) if begins else (place, -1)


def stands_at(openers: AnyOpeners, driver: Driver, place: int) -> bool:
    """Whether an opener stands at an index; the text after it is not searched."""
    node, buffer = driver.node, driver.buffer
    if openers.stands_at(buffer, place):
        return True
    # A node inside a format may have openers that no start node has, such as a list's next call.
    return node is not node.machine.start and node.opener.match(buffer, place) is not None


def begins_at(openers: AnyOpeners, driver: Driver, place: int) -> bool:
    """Whether the text from an index to its end may become an opener."""
    node, buffer = driver.node, driver.buffer
    if openers.begins_at(buffer, place):
        return True
    own = node is not node.machine.start
    return own and node.opener_beginnings.match(buffer, place) is not None

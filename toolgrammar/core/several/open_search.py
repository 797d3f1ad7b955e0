"""Searches text for what opens in any of several formats, and for what may become that.

Example: in `Hi <tool_` nothing opens yet, and the tail from `<` on is held back.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgrammar.core.machine.machine import LONGEST_OPENER, SHORT

if TYPE_CHECKING:
    from toolgrammar.core.several.openers import AnyOpeners
    from toolgrammar.core.state.driver import Driver


def search_openers(openers: AnyOpeners, driver: Driver, start: int) -> tuple[int, int]:
    """Returns the place of the next opener and that of the tail which may become one, or -1."""
    node, buffer = driver.node, driver.buffer
    if driver.held_at == driver.base + start and not driver.final:
        # What was held back is asked for first: each character would have all of it searched.
        length = len(buffer) - start
        if length <= LONGEST_OPENER and begins_at(openers, driver, start):
            return -1, start
        if SHORT < length <= LONGEST_OPENER:
            return _first_in_tail(openers, driver, start)
    place = openers.find(buffer, start)
    # What is longer than any token does not become one: only the tail is looked at.
    tail = max(start, len(buffer) - LONGEST_OPENER)
    # An opener that stands before the tail comes first, whatever the tail becomes.
    no_tail = driver.final or 0 <= place < tail
    held = -1 if no_tail else openers.held(buffer, tail)
    if node is not node.machine.start:
        # A node of its own may take what nothing takes at the start: the next of a list.
        match = node.opener.search(buffer, start)
        if match is not None and (place < 0 or match.start() < place):
            place = match.start()
        begun = None if no_tail else node.opener_beginnings.search(buffer, tail)
        if begun is not None and (held < 0 or begun.start() < held):
            held = begun.start()
    return place, held


def _first_in_tail(openers: AnyOpeners, driver: Driver, start: int) -> tuple[int, int]:
    """Gives the same as `search_openers` for a tail that was held back up to now."""
    node, buffer = driver.node, driver.buffer
    place = start if stands_at(openers, driver, start) else -1
    if place < 0:
        place = openers.find_any(buffer, start + 1)
        if node is not node.machine.start:
            found = (node.opener, node.opener_beginnings)
            matches = [match for each in found if (match := each.search(buffer, start + 1))]
            own = [match.start() for match in matches]
            place = min([*own, place] if place >= 0 else own, default=-1)
    # What stands there whole may yet become longer.
    begins = place >= 0 and begins_at(openers, driver, place)
    return (-1, place) if begins else (place, -1)


def stands_at(openers: AnyOpeners, driver: Driver, place: int) -> bool:
    """Whether something opens at a place; what stands behind it is not searched."""
    node, buffer = driver.node, driver.buffer
    if openers.stands_at(buffer, place):
        return True
    # A node of its own may take what nothing takes at the start: the next of a list.
    return node is not node.machine.start and node.opener.match(buffer, place) is not None


def begins_at(openers: AnyOpeners, driver: Driver, place: int) -> bool:
    """Whether the text from a place to its end may become what opens."""
    node, buffer = driver.node, driver.buffer
    if openers.begins_at(buffer, place):
        return True
    own = node is not node.machine.start
    return own and node.opener_beginnings.match(buffer, place) is not None

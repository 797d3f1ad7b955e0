"""Ends a call whose closer the server took away, because it stops at that closer.

Where the text ends, and all that is missing begins with one of the header's stop strings, what is
missing counts as read. The text may end with the beginning of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgrammar.core.machine.repairs import repairs_of
from toolgrammar.core.mending.mending import text_of

if TYPE_CHECKING:
    from toolgrammar.core.machine.machine import Node
    from toolgrammar.core.state.driver import Driver

_SHORTEST = 2
"""Characters of a beginning that can't be a word of the payload."""


def stopped_before(driver: Driver, node: Node) -> str:
    """Returns the closers that a stop string stands in for in a node; empty where it does not."""
    builder = driver.builder
    stops = builder.header.stop
    # A server that cut the answer did not stop at the closer.
    if not stops or builder.end.is_cut:
        return ""
    path = repairs_of(node).to_end
    closers = "".join(text_of(step, driver) for step in path or ()).strip()
    return closers if any(closers.startswith(stop.strip()) for stop in stops) else ""


def end_of_payload(driver: Driver, node: Node, start: int) -> int:
    """Returns where a raw payload before `node` ends: before the beginning of what is missing."""
    buffer = driver.buffer
    closers = stopped_before(driver, node)
    # The longest beginning first: of `</tool` no part is value.
    for length in range(min(len(closers), len(buffer) - start), _SHORTEST - 1, -1):
        if buffer.endswith(closers[:length]):
            return len(buffer) - length
    return len(buffer)


def close_by_stop(driver: Driver) -> bool:
    """Closes what is open where the text ends; tells whether a stop string stands in for that."""
    node = driver.node
    closers = stopped_before(driver, node)
    # Nothing may be left but the beginning of what is missing.
    rest = driver.buffer[driver.position :].strip()
    if not closers.startswith(rest) or not closers:
        return False
    path = repairs_of(node).to_end or ()
    driver.move_to(len(driver.buffer))
    builder = driver.builder
    builder.end.leave_open()
    spec = builder.spec()
    if builder.draft is not None and not builder.has_arguments and (not spec or spec.properties):
        builder.draft.cut()  # whether arguments were to come nobody knows
    # As if they had been read: the server took them away, and the model is not to blame.
    for step in path:
        driver.pass_over(step)
    driver.to_text()
    return True

"""Ends a call whose closer the server removed, because the closer is a stop string.

Example: with the stop string `</execute_bash>`, the text `<execute_bash>ls` is a complete call.
This applies if the text of all missing closers begins with a stop string of the format's header.
The text may end with the beginning of the closers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgrammar.core.machine.repairs import repairs_of
from toolgrammar.core.mending.mending import text_of

if TYPE_CHECKING:
    from toolgrammar.core.machine.machine import Node
    from toolgrammar.core.state.driver import Driver

_SHORTEST = 2
"""The least characters of a closer's beginning that are not read as part of the payload."""


def closers_cut_by_stop(driver: Driver, node: Node) -> str:
    """Returns the closers that a stop string removed in a node; "" if none did."""
    builder = driver.builder
    stops = builder.header.stop
    # A server that cut the answer did not stop at the closer.
    if not stops or builder.end.is_cut:
        return ""
    path = repairs_of(node).to_end
    closers = "".join(text_of(step, driver) for step in path or ()).strip()
    return closers if any(closers.startswith(stop.strip()) for stop in stops) else ""


def end_of_payload(driver: Driver, node: Node, start: int) -> int:
    """Returns the index where a raw payload before `node` ends, before the closers' beginning."""
    buffer = driver.buffer
    closers = closers_cut_by_stop(driver, node)
    # The longest beginning comes first: no part of `</tool` belongs to the value.
    for length in range(min(len(closers), len(buffer) - start), _SHORTEST - 1, -1):
        if buffer.endswith(closers[:length]):
            return len(buffer) - length
    return len(buffer)


def close_by_stop(driver: Driver) -> bool:
    """Closes the call and section at the end of the text, if a stop string removed their closers.

    Returns:
        Whether it did.
    """
    node = driver.node
    closers = closers_cut_by_stop(driver, node)
    # The rest of the text may only be the beginning of the missing closers.
    rest = driver.buffer[driver.position :].strip()
    if not closers.startswith(rest) or not closers:
        return False
    path = repairs_of(node).to_end or ()
    driver.move_to(len(driver.buffer))
    builder = driver.builder
    builder.end.leave_open()
    spec = builder.spec()
    if builder.draft is not None and not builder.has_arguments and (not spec or spec.properties):
        builder.draft.cut()  # it is not known whether arguments were to follow
    # The steps apply without a repair: the server removed the closers, the model wrote them.
    for step in path:
        driver.apply_without_text(step)
    driver.to_text()
    return True

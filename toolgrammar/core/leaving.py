"""Leaves a payload, or a call that has no closer: closes what closes there, and reads on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgrammar.core import call_ends
from toolgrammar.core.doubts import doubt_line_behind
from toolgrammar.core.mending import text_of
from toolgrammar.core.mismatch import give_back_nameless
from toolgrammar.core.straight_rules import touches
from toolgrammar.values.spans import Span

if TYPE_CHECKING:
    from toolgrammar.core.driver import Driver
    from toolgrammar.core.machine import Node


_IN_A_LINE = ("SAME_FENCE", "SAME_MARK")
"""Closers that stand in a line of their own."""


def leave(driver: Driver, end: int) -> bool:
    """Ends a payload at an index of the buffer and does what the grammar does then."""
    step = driver.step
    assert step is not None
    driver.position = end
    driver.last_end = driver.base + end
    driver.scanner = driver.raw = None
    driver.previous = step
    if driver.island >= 0 and not driver.called and give_back_nameless(driver, step):
        return True
    for role in step.after:
        driver.close(role, driver.last_end)
    driver.node = step.node
    if driver.node.accepts_text and not driver.builder.has_draft:
        driver.to_text()
    else:
        driver.to_tokens()
    return True


def end_before_text(driver: Driver) -> bool:
    """Ends a call that text, or the next call, follows without a closer; False for more text."""
    if not doubt_line_behind(driver):
        return False
    _doubt_touching(driver)
    closed, stack = driver.node.after_text
    for role in closed:
        driver.close(role, driver.last_end)
    driver.node = driver.node.machine.node(stack)
    driver.to_text()
    return True


def _doubt_touching(driver: Driver) -> None:
    """Doubts a call that text touches: its arguments may go on there."""
    builder, draft, place = driver.builder, driver.builder.draft, driver.last_end
    if draft is None or not touches(*builder.source.slice(place - 1, place + 1).ljust(2)[:2]):
        return
    draft.doubts.append("skipped-markup")
    message = "Found text right behind the arguments; it may be a part of them"
    builder.report("skipped-markup", "error", message, Span(place, place))


def cut_payload(driver: Driver, node: Node, *, known: bool = True) -> None:
    """Ends the call because the text ends inside a raw payload before `node`.

    Args:
        driver: the driver.
        node: what stands behind the payload.
        known: whether the payload ends where the text does, not in a closer that was cut.
    """
    path = node.repairs.to_end if known and not driver.builder.raws.left_out else None
    closers = "".join(text_of(step, driver) for step in path or ())
    if path and path[0].terminal.name in _IN_A_LINE:
        closers = f"\n{closers}"
    call_ends.cut(driver.builder, driver.base + len(driver.buffer), closers=closers)
    driver.raw = None
    driver.to_text()

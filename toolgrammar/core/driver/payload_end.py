"""Leaves a payload, or a call that has no closer: closes what closes there, and reads on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgrammar.core.arguments.raw_values import raws_of
from toolgrammar.core.calls import call_ends
from toolgrammar.core.driver.behind_calls import is_settled
from toolgrammar.core.driver.mismatch import give_back_nameless
from toolgrammar.core.machine.repairs import repairs_of
from toolgrammar.core.mending.mending import text_of
from toolgrammar.core.state.doubts import doubt_line_behind

if TYPE_CHECKING:
    from toolgrammar.core.machine.machine import Node, Step
    from toolgrammar.core.state.driver import Driver


_IN_A_LINE = ("SAME_FENCE", "SAME_MARK")
"""Closers that stand in a line of their own."""


def leave(driver: Driver, end: int) -> bool:
    """Ends a payload at an index of the buffer and does what the grammar does then."""
    step = driver.payload.step
    assert step is not None
    driver.pass_to(end)
    driver.payload.end()
    driver.note_read(step)
    # A value with no name before it, `<tool_call>{"x": 1}</tool_call>`, is data and no call.
    if driver.island >= 0 and not driver.called and give_back_nameless(driver, step):
        return True
    if not is_settled(driver, step):
        driver.read_by(_read_behind)
        return True
    return _close_behind(driver, step)


def _read_behind(driver: Driver) -> bool:
    """Reads what stands behind a payload that ends its call; False where more text tells."""
    step = driver.previous
    assert step is not None
    return is_settled(driver, step) and _close_behind(driver, step)


def _close_behind(driver: Driver, step: Step) -> bool:
    """Closes what closes with a payload."""
    for role in step.after:
        driver.close(role, driver.last_end)
    driver.stand_on(step.node)
    # While the call is open its closer is due, even where the grammar would take text.
    if driver.node.accepts_text and not driver.builder.has_draft:
        driver.to_text()
    else:
        driver.to_tokens()
    return True


def end_before_text(driver: Driver) -> bool:
    """Ends a call that text, or the next call, follows without a closer; False for more text."""
    if not (doubt_line_behind(driver) and is_settled(driver)):
        return False
    driver.close_before_text()
    return True


def cut_payload(driver: Driver, node: Node, *, known: bool = True) -> None:
    """Ends the call because the text ends inside a raw payload before `node`.

    Args:
        driver: the driver.
        node: what stands behind the payload.
        known: whether the payload ends where the text does, not in a closer that was cut.
    """
    path = repairs_of(node).to_end if known and not raws_of(driver.builder).left_out else None
    closers = "".join(text_of(step, driver) for step in path or ())
    # A fence closes nothing in the midst of a line.
    if path and path[0].terminal.name in _IN_A_LINE:
        closers = f"\n{closers}"
    call_ends.cut(driver.builder, driver.base + len(driver.buffer), closers=closers)
    driver.payload.end()
    driver.to_text()

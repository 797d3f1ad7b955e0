"""Ends a payload, or a call that has no closer, and the roles that the grammar closes with it.

Example: in `<tool_call>{"name": "f", "arguments": {"x": 1}}` the last brace of `{"x": 1}` ends the
payload, and the driver reads tokens again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgrammar.core.arguments.raw_values import raws_of
from toolgrammar.core.calls import call_ends
from toolgrammar.core.driver.behind_calls import is_settled
from toolgrammar.core.driver.mismatch import give_back_nameless
from toolgrammar.core.machine.repairs import repairs_of
from toolgrammar.core.mending.mending import text_of
from toolgrammar.core.state.doubts import doubt_line_behind, doubt_open_brackets

if TYPE_CHECKING:
    from toolgrammar.core.machine.machine import Node, Step
    from toolgrammar.core.state.driver import Driver


_IN_A_LINE = ("SAME_FENCE", "SAME_MARK")
"""The terminals of closers that stand on a line of their own."""


def leave(driver: Driver, end: int) -> bool:
    """Ends the payload at an index of the buffer and closes the roles that end with it."""
    step = driver.payload.step
    assert step is not None
    driver.pass_to(end)
    driver.payload.end()
    driver.note_read(step)
    # A value with no name before it, as in `<tool_call>{"x": 1}</tool_call>`, is data, not a call.
    if driver.island >= 0 and not driver.called and give_back_nameless(driver, step):
        return True
    if not _is_settled(driver, step):
        driver.read_by(_read_behind)
        return True
    return _close_behind(driver, step)


def _read_behind(driver: Driver) -> bool:
    """Looks at the text after a payload; False if more text is needed."""
    step = driver.previous
    assert step is not None
    return _is_settled(driver, step) and _close_behind(driver, step)


def _is_settled(driver: Driver, step: Step) -> bool:
    """Whether enough text was seen to judge the end of a payload, and of the call that it ends."""
    return doubt_open_brackets(driver) and is_settled(driver, step)


def _close_behind(driver: Driver, step: Step) -> bool:
    """Closes the roles that end with a payload and goes on to what follows it."""
    for role in step.after:
        driver.close(role, driver.last_end)
    driver.stand_on(step.node)
    # While the call is open its closer is expected, even if the grammar would accept text here.
    if driver.node.accepts_text and not driver.builder.has_draft:
        driver.to_text()
    else:
        driver.to_tokens()
    return True


def end_before_text(driver: Driver) -> bool:
    """Ends a call without a closer before text or the next call; False if more text is needed."""
    if not (doubt_line_behind(driver) and is_settled(driver)):
        return False
    driver.close_before_text()
    return True


def cut_payload(driver: Driver, node: Node, *, known: bool = True) -> None:
    """Truncates the call because the text ends inside its payload.

    Args:
        driver: the driver.
        node: the node after the payload.
        known: whether all of the rest is payload; False if it may be a closer that was cut.
    """
    path = repairs_of(node).to_end if known and not raws_of(driver.builder).left_out else None
    closers = "".join(text_of(step, driver) for step in path or ())
    # A fence closes a block only on a line of its own.
    if path and path[0].terminal.name in _IN_A_LINE:
        closers = f"\n{closers}"
    call_ends.cut(driver.builder, driver.base + len(driver.buffer), closers=closers)
    driver.payload.end()
    driver.to_text()

"""Ends a message: closes, truncates, or gives back as text whatever is open when its text ends.

Example: `<tool_call>{"name": "f", "arguments": {"x": 1` ends as a call of `f` that is truncated.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from toolgrammar.core.arguments.json_payload import JsonPayload
from toolgrammar.core.arguments.scanned_values import scanned_of
from toolgrammar.core.calls import call_ends
from toolgrammar.core.driver.mismatch import mismatch
from toolgrammar.core.driver.payload_end import judge_call_end, leave
from toolgrammar.core.driver.raw.leaving import finish_raw
from toolgrammar.core.driver.raw.state import raw_of
from toolgrammar.core.driver.reading_payloads import read_scanned, report_faults
from toolgrammar.core.mending.envelopes import is_json
from toolgrammar.core.mending.mending import (
    closers_behind,
    cut_call,
    is_cut_markup,
    missing_closers,
)
from toolgrammar.core.mending.stops import close_by_stop
from toolgrammar.core.mending.unreadable_calls import report_cut_nameless
from toolgrammar.core.state.doubts import doubt_last

if TYPE_CHECKING:
    from toolgrammar.core.payloads.scanners import Scanner
    from toolgrammar.core.state.driver import Driver


def finish(driver: Driver) -> None:
    """Ends the open payload, island, call and section when the text ends."""
    builder = driver.builder
    # Each round ends one thing that is open. Text that is given back may hold another island, so
    # the loop goes on until nothing is open.
    while True:
        driver.count_round()
        if driver.payload.raw is not None:
            finish_raw(raw_of(driver))
        elif driver.run is read_scanned:
            _finish_scanned(driver)
        # An uncertain island is text, unless a delimiter follows the name of its call: `search(` is
        # a call that was cut.
        elif (
            driver.in_tokens and driver.island >= 0 and not (driver.has_name and builder.delimited)
        ):
            mismatch(driver)
            driver.read_on()
        else:
            break
    if driver.in_tokens:
        _finish_token(driver)
    # The grammar lets the end of the text close the open section.
    elif driver.node.closes_group and driver.node.closes_at_end is not None:
        driver.close(driver.node.closes_at_end)
    # The section lacks its closer: the server may have stopped at it.
    elif builder.group is not None:
        close_by_stop(driver)
    doubt_last(driver)
    end = driver.base + len(driver.buffer)
    call_ends.finish(builder, end, missing_closers(driver, driver.node))


def _finish_scanned(driver: Driver) -> None:
    """Ends the payload of a scanner; if its island is not a call, the rest is read as text."""
    scanner = driver.payload.scanner
    assert scanner is not None
    out: list[str] = []
    whole = scanner.finish(out)
    end = len(driver.buffer)
    # Nothing showed that the island is a call, so its whole payload is text.
    if driver.island >= 0:
        driver.move_to(end)
        mismatch(driver)
        driver.read_on()
        return
    scanned = scanned_of(driver.builder)
    mended = scanner if isinstance(scanner, JsonPayload) else None
    if out:
        scanned.take("".join(out))
    if mended is not None:
        scanned.mend(mended, driver.base + end)
    else:
        report_faults(driver, cast("Scanner", scanner))
        if whole:
            scanned.doubt_twice(driver.base + end)
    if whole:
        scanned.end(driver.base + end)
        leave(driver, end)
    else:
        # This may be a member that fills no role, before the name of the call.
        report_cut_nameless(driver)
        scanned.cut(driver.base + end, mended, closers_behind(driver, driver.payload.current.node))
        driver.to_text()


def _finish_token(driver: Driver) -> None:
    """Ends a call or a section when the text ends inside its envelope."""
    if driver.island >= 0:
        driver.commit()
    node, back = driver.node, driver.way_back
    # The grammar accepts the end of the text as a closer. Only the server's finish reason can show
    # that the call was cut there, so this is noted for the end of the message.
    if node.closes_at_end is not None:
        driver.builder.end.leave_open()
        judge_call_end(driver)
        driver.close(node.closes_at_end)
        rest = driver.position
        # The rest fits nothing after the call, so it is text.
        if rest < len(driver.buffer):
            driver.stand_on(driver.start_node)
            driver.give_text(rest, len(driver.buffer))
        return
    # The short literal that was read last, `<`, may be the beginning of a closer that was cut: the
    # closer is then missing from that place on.
    if (
        back is not None
        and back.node.closes_at_end is None
        and is_cut_markup(driver, back.node, back.start)
    ):
        driver.step_back()
    if close_by_stop(driver):
        return
    # Inside a JSON object, its closing bracket is missing together with the call's closer.
    brackets = any(terminal.text.strip() in ("}", "]") for _, terminal in driver.node.tokens)
    cut_call(driver, root_open=brackets or is_json(driver.node))

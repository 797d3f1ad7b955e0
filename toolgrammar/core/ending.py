"""Ends a message: whatever is open when its text ends is closed, cut off, or text after all."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from toolgrammar.core import call_ends
from toolgrammar.core.envelopes import is_json
from toolgrammar.core.json_payload import JsonPayload
from toolgrammar.core.leaving import leave
from toolgrammar.core.mending import closers_behind, cut_call, cut_here, missing_closers
from toolgrammar.core.mismatch import mismatch
from toolgrammar.core.raw_leaving import finish_raw
from toolgrammar.core.reading_payloads import read_scanned, tell_mended
from toolgrammar.core.stops import close_by_stop

if TYPE_CHECKING:
    from toolgrammar.core.driver import Driver
    from toolgrammar.core.scanners import Scanner


def finish(driver: Driver) -> None:
    """Ends whatever is open when the text ends."""
    builder = driver.builder
    while True:
        driver.steps += 1
        if driver.raw is not None:
            assert driver.step is not None
            finish_raw(driver.raw, driver.step)
        elif driver.run is read_scanned:
            _finish_scanned(driver)
        elif driver.in_tokens and driver.island >= 0 and not (driver.called and builder.delimited):
            mismatch(driver)
            driver.read_on()
        else:
            break
    if driver.in_tokens:
        _finish_token(driver)
    elif driver.node.closes_group and driver.node.end is not None:
        _close_all(driver, driver.node.end)
    elif builder.group is not None:
        close_by_stop(driver)
    end = driver.base + len(driver.buffer)
    call_ends.finish(builder, end, missing_closers(driver, driver.node))


def _close_all(driver: Driver, roles: tuple[str, ...]) -> None:
    """Closes what the grammar lets the end of the text close."""
    for role in roles:
        driver.close(role, driver.last_end)


def _finish_scanned(driver: Driver) -> None:
    """Ends a payload that a scanner reads; what follows an island that is none is read again."""
    scanner = driver.scanner
    assert scanner is not None
    out: list[str] = []
    whole = scanner.finish(out)
    end = len(driver.buffer)
    if driver.island >= 0:
        driver.position = end
        mismatch(driver)
        driver.read_on()
        return
    scanned = driver.builder.scanned
    mended = scanner if isinstance(scanner, JsonPayload) else None
    if out:
        scanned.take("".join(out))
    if mended is not None:
        scanned.mend(mended, driver.base + end)
    else:
        tell_mended(driver, cast("Scanner", scanner))
        if whole:
            scanned.doubt_twice(driver.base + end)
    if whole:
        scanned.end(driver.base + end)
        leave(driver, end)
    else:
        assert driver.step is not None
        scanned.cut(driver.base + end, mended, closers_behind(driver, driver.step.node))
        driver.to_text()


def _finish_token(driver: Driver) -> None:
    """Ends a call, or a section, in whose envelope the text ends."""
    if driver.island >= 0:
        driver.commit()
    node, back = driver.node, driver.back
    if node.end is not None:
        driver.builder.ended_open = True
        _close_all(driver, node.end)
        rest = driver.position
        if rest < len(driver.buffer):
            driver.node = driver.start_node
            driver.give_text(rest, len(driver.buffer))
        return
    if back is not None and back[1].end is None and cut_here(driver, back[1], back[0]):
        driver.step_back()
    if close_by_stop(driver):
        return
    brackets = any(terminal.text.strip() in ("}", "]") for _, terminal in driver.node.tokens)
    cut_call(driver, root_open=brackets or is_json(driver.node))

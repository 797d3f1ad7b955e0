"""Says what a text is that the node does not take: text after all, mended markup, a call's end."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgrammar.core import call_ends
from toolgrammar.core.begun import note_begun, note_given_back
from toolgrammar.core.envelopes import is_json, mend_envelope
from toolgrammar.core.mending import cut_call, cut_here, mend, skip_fence
from toolgrammar.core.stops import close_by_stop
from toolgrammar.values.patterns import blanks

if TYPE_CHECKING:
    from toolgrammar.core.driver import Driver
    from toolgrammar.core.steps import Step

FENCED = 5
"""Characters of an opener that may have a code fence behind it."""


def mismatch(driver: Driver, *, in_payload: bool = False) -> bool:
    """Gives an uncertain island back as text, or mends or ends a certain call.

    Args:
        driver: the driver, which stands where the text does not fit.
        in_payload: whether that is inside a payload, whose scanner has mended what it could.

    Returns:
        False where more text is needed to tell.
    """
    driver.scanner = driver.raw = None
    driver.to_tokens()
    opener = driver.buffer[driver.island : driver.position] if driver.island >= 0 else ""
    fenced = driver.may_be_fenced and len(opener.strip()) >= FENCED and not driver.island_payload
    if fenced and not (driver.called or in_payload):
        skipped = skip_fence(driver)
        if skipped is not None:
            driver.may_be_fenced = not skipped
            return skipped
    is_whole = driver.island < 0 or (len(opener.strip()) >= FENCED and not driver.island_payload)
    if not in_payload and is_whole and (mended := mend_envelope(driver)) is not None:
        return mended
    if not in_payload and _is_call(driver):
        driver.commit()
    if driver.final and driver.island >= 0:
        note_begun(driver)
    done = _give_back(driver) if driver.island >= 0 else _end_call(driver, in_payload=in_payload)
    if done is not None:
        return done
    _to_text(driver)
    return True


def _is_call(driver: Driver) -> bool:
    """Whether an uncertain island is a whole object with name and arguments behind its opener.

    The name may come last: then nothing has shown before that a call stands here.
    """
    draft = driver.builder.draft
    if driver.island < 0 or not driver.called or draft is None or not draft.has_payload:
        return False
    before = driver.buffer[driver.island : draft.payload_start - driver.base].partition("{")[0]
    ended = driver.previous is not None and driver.previous.terminal.text.strip() == "}"
    return ended and len(before.strip()) >= FENCED and not driver.builder.strict


def give_back(driver: Driver) -> None:
    """Gives an uncertain island back that is no call, or may be one of another format."""
    driver.scanner = driver.raw = None
    driver.to_tokens()
    if _give_back(driver) is None:
        _to_text(driver)


def _to_text(driver: Driver) -> None:
    driver.called = False
    driver.unit = -1
    driver.to_text()


def _give_back(driver: Driver) -> bool | None:
    """Gives the opener of an island, or all up to its payload, back as text.

    True where another format reads the island; None where text goes on.
    """
    note_given_back(driver)
    driver.builder.rewind()
    driver.last_end = driver.free
    start = driver.island
    resume = max(driver.position, start + 1) if driver.island_payload else start + 1
    driver.node = driver.island_node
    if driver.among is not None and not driver.among.in_section:
        if driver.among.again(driver, start, resume):
            return True
        resume = start + 1
    driver.island = -1
    driver.give_text(start, resume)
    driver.position = resume
    return None


def _end_call(driver: Driver, *, in_payload: bool) -> bool | None:
    """Mends the markup of a certain call, or ends the call here; None where text goes on."""
    cut = driver.final and _is_cut(driver)
    if cut or any(terminal.kind == "same" for _, terminal in driver.node.tokens):
        driver.step_back()
    if cut:
        # A closer that the end of the text cut: markup, not text.
        if close_by_stop(driver):
            return True
        cut_call(driver, root_open=is_json(driver.node))
        driver.position = len(driver.buffer)
        driver.node = driver.start_node
        return None
    mended = mend(driver)
    if mended is not None:
        return mended
    if not in_payload:
        # White space before the place may be consumed already: it is markup in any case.
        driver.position = blanks.match(driver.buffer, driver.position).end()
    call_ends.broken(driver.builder, driver.base + driver.position, driver.last_end)
    driver.node = driver.start_node
    return None


def _is_cut(driver: Driver) -> bool:
    """Whether the text ends in the beginning of markup, from here or from a short literal on."""
    if cut_here(driver, driver.node, driver.position):
        return True
    return driver.back is not None and cut_here(driver, driver.back[1], driver.back[0])


def give_back_nameless(driver: Driver, step: Step) -> bool:
    """Gives a call that ends with a step, and names no tool, back as text; tells whether it ends."""
    node = step.node
    ends = "call" in step.after or (
        node.accepts_text and not driver.builder.has_draft and "call" in node.after_text[0]
    )
    if ends:
        driver.island_payload = True  # so that it is given back whole
        give_back(driver)
    return ends

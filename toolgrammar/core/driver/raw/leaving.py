"""Ends a raw payload: at a closer, or at the end of the text.

Example: in `<parameter=p>x</parameter>` the value `x` ends before its closer, which is then read as
a token.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgrammar.core.arguments.raw_values import raws_of
from toolgrammar.core.driver.payload_end import cut_payload, leave
from toolgrammar.core.driver.raw.thought_calls import end_before_calls
from toolgrammar.core.driver.raw.value_doubts import (
    doubt_begun,
    doubt_block_end,
    doubt_closer,
    doubt_damaged,
    doubt_inner_block,
    doubt_inner_closer,
    doubt_open_end,
    doubt_quoted_opener,
    doubt_stopped,
    doubt_unended,
)
from toolgrammar.core.mending.stops import closers_cut_by_stop
from toolgrammar.core.state.doubts import doubt_inner_argument
from toolgrammar.core.trust.thoughts import judge_thought
from toolgrammar.grammar.roles import PROSE_ROLES

if TYPE_CHECKING:
    from toolgrammar.core.driver.raw.state import RawReader
    from toolgrammar.core.machine.machine import Step

LONGEST = 2048
"""The most characters of a closer, or of a quoted call's tag, with the text required after it."""


def close_raw(reader: RawReader, end: int) -> None:
    """Ends the payload at an index of the buffer, before its closer or where that is missing."""
    driver = reader.driver
    reader.emit_to(end)
    reader.release()
    # An opener that contains the value's closer, as `n="` does, is markup: text would be escaped.
    is_markup = reader.raw_end.tagged or reader.raw_end.value_closing.search(reader.sibling_text)
    # If a value contains its own opener, and one closer or none for both, the model may have begun
    # the value anew there.
    begins_anew = reader.lacks_closer or reader.values_open > 0
    opener = reader.sibling_text or (reader.own_opener if begins_anew else "")
    if opener and (reader.lacks_closer or is_markup):
        doubt_inner_argument(driver, opener, end)
    elif reader.raw_end.call_closes_alone:
        doubt_closer(driver, end)
    if not reader.sibling_text:
        doubt_inner_closer(driver, reader.stray_closers, end, mended=reader.lacks_closer)
    doubt_damaged(
        driver, reader.raw_end, end, openers=bool(reader.stray_closers) or reader.lacks_closer
    )
    doubt_inner_block(driver, reader.raw_end, end)
    draft = driver.builder.draft
    if reader.ended_by_call and draft is not None:
        draft.go_on()
        doubt_unended(driver, end)
    _judge_prose(reader, end)
    raws = raws_of(driver.builder)
    dropped = raws.end(driver.base + end, whole=True, mended=reader.lacks_closer)
    if reader.raw_end.role == "input" and (step := _step_behind(reader, end)) and step.opens:
        doubt_begun(driver, end)
    leave(driver, end)
    driver.end_at(driver.last_end - dropped)


def _judge_prose(reader: RawReader, end: int) -> None:
    """Judges reasoning or text that ends at an index of the buffer: a call may be lost in it."""
    builder, raw_end = reader.driver.builder, reader.raw_end
    start, stop = raws_of(builder).start, reader.driver.base + end
    if raw_end.is_beside_calls:
        kind = "reasoning" if raw_end.is_thought else "text"
        builder.turns.end_prose(start, stop, raw_end.machine.signs, kind)
    if raw_end.is_thought:
        behind = _step_behind(reader, end)
        # What opens an island in text ends reasoning that has no closer.
        is_open = behind is not None and behind.terminal.name in raw_end.machine.start.names
        judge_thought(builder, start, stop, is_open=is_open)


def _step_behind(reader: RawReader, end: int) -> Step | None:
    """Returns the step of the token that ends the payload at an index of the buffer; None if it is missing."""
    token = reader.raw_end.node.token.match(reader.driver.buffer, end)
    return None if token is None else reader.raw_end.node.steps.get(token.lastgroup or "")


def begun_closer(reader: RawReader) -> int:
    """Returns the index of a closer that the end of the text cut; -1 if there is none."""
    driver, step = reader.driver, reader.driver.payload.current
    # If the end of the text may close the payload, half a closer there is part of its text.
    may_end = (
        step.node.closes_at_end is not None
        or closers_cut_by_stop(driver, reader.raw_end.node) != ""
    )
    if may_end or step.role in PROSE_ROLES:
        return -1
    start = max(reader.searched, len(driver.buffer) - LONGEST)
    begun = reader.raw_end.own_beginnings.search(driver.buffer, start)
    return -1 if begun is None else begun.start()


def finish_raw(reader: RawReader) -> None:
    """Ends the payload at the end of the text."""
    driver, step = reader.driver, reader.driver.payload.current
    stopped = closers_cut_by_stop(driver, reader.raw_end.node) != ""
    # If the server cut the answer, the payload's closer had not come yet.
    is_cut = driver.builder.end.is_cut
    may_go_on = not is_cut and (not stopped or reader.quoted_calls)
    if reader.call_openers and not is_cut and end_before_calls(reader, len(driver.buffer)):
        driver.read_on()
        return
    if reader.held is not None and reader.last_closer >= 0 and may_go_on:
        _end_at_last_closer(reader, reader.held)
        return
    reader.release()
    ends = stopped or step.node.closes_at_end is not None
    end = driver.position
    if stopped and step.role not in PROSE_ROLES:
        doubt_stopped(driver, step, end)
    # The closer in the value would have been a stop string, too, and have ended the message there.
    if stopped and reader.shares_closer:
        doubt_quoted_opener(driver)
    # The position is before a closer that the end of the text cut.
    begun = end < len(driver.buffer) and not ends and step.role not in PROSE_ROLES
    # In some formats reasoning and the answer may end with the message: a call in them may be lost.
    if step.role in ("reasoning", "content") or (step.role == "text" and not ends):
        start = raws_of(driver.builder).start
        driver.builder.end.leave_text_open(start, step.machine.signs)
    if ends:
        doubt_damaged(driver, reader.raw_end, end, is_cut=True)
        doubt_block_end(driver, end)
        doubt_open_end(driver, end)
    driver.builder.end.leave_open(is_open=ends and step.role not in PROSE_ROLES)
    raws_of(driver.builder).end(driver.base + end, whole=ends, mended=begun)
    if ends or step.role in PROSE_ROLES:
        leave(driver, end)
    else:
        cut_payload(driver, reader.raw_end.node, known=not begun)


def _end_at_last_closer(reader: RawReader, pieces: list[str]) -> None:
    """Ends the payload at the last closer, although a quoted opener was never closed."""
    driver = reader.driver
    held = "".join(pieces)
    # The text after that closer was held back: it is not part of the value, and is read again.
    keep = max(0, len(held) - (driver.base + driver.position - reader.last_closer))
    raws_of(driver.builder).take(held[:keep])
    driver.stand_before(held[keep:] + driver.buffer[driver.position :], reader.last_closer)
    if reader.shares_closer:
        doubt_quoted_opener(driver)
    raws_of(driver.builder).end(reader.last_closer, whole=True)
    leave(driver, driver.position)
    driver.read_on()

"""Decides what to do with text that fits no token: give the island back, mend it, or end the call.

Example: `<tool_call> is how a call begins` is text; `<tool_call></tool_call>` is markup with
nothing in it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgrammar.core.arguments.raw_values import raws_of
from toolgrammar.core.calls import call_ends
from toolgrammar.core.mending.cut_opener import may_be_cut, note_cut_opener, note_given_back
from toolgrammar.core.mending.envelopes import is_json, mend_envelope, skip_fence
from toolgrammar.core.mending.mending import cut_call, is_cut_markup, mend
from toolgrammar.core.mending.section_words import pass_words
from toolgrammar.core.mending.stops import close_by_stop
from toolgrammar.core.mending.unreadable_calls import report_broken_nameless
from toolgrammar.patterns.partial import MAX_TOKEN
from toolgrammar.values.diagnostics import Edit
from toolgrammar.values.patterns import blanks, late
from toolgrammar.values.spans import Span

if TYPE_CHECKING:
    from toolgrammar.core.machine.machine import Step
    from toolgrammar.core.state.driver import Driver

_WAITS = -1
"""The result of `_end_of_empty` when more text is needed."""
_EMPTY_LIST = late(r"\[\s{0,64}\]\s{0,64}")
_LIST_BEGUN = late(r"\[\s{0,64}\Z")
_EVIDENT = 5
"""The least number of characters of an opener that counts as evidence of a call.

After a shorter one, such as `[`, a code fence or damaged markup is prose.
"""


def mismatch(driver: Driver, *, in_payload: bool = False) -> bool:
    """Gives an uncertain island back as text, or mends or ends a certain call.

    Args:
        driver: the driver, which stands where the text does not fit.
        in_payload: whether that is inside a payload, whose scanner has mended what it could.

    Returns:
        False if more text is needed.
    """
    driver.payload.end()
    driver.to_tokens()
    opener = driver.buffer[driver.island : driver.position] if driver.island >= 0 else ""
    is_evident = len(opener.strip()) >= _EVIDENT and not driver.island_payload
    # `<tool_call>` and a fence with the object in it: so long an opener means a call.
    if driver.may_be_fenced and is_evident and not (driver.has_name or in_payload):
        skipped = skip_fence(driver)
        if skipped is not None:
            driver.allow_fence(allowed=not skipped)
            return skipped
    # A short opener is no evidence of damaged markup after it, either: `[` and some words are text.
    may_mend = not in_payload and (driver.island < 0 or is_evident)
    if may_mend and (mended := mend_envelope(driver)) is not None:
        return mended
    # This comes before the island is given back: here the payload is whole and only the envelope is
    # damaged.
    if not in_payload and _is_call(driver):
        driver.commit()
    empty = None if in_payload else _end_of_empty(driver)
    if empty == _WAITS:
        return False
    # With several formats, another one may read as markup what this one would skip as words.
    formats = driver.formats
    is_only_format = formats is None or formats.in_section or len(formats.opening_here) < 2
    if not in_payload and empty is None and driver.island >= 0 and is_only_format:
        passed = pass_words(driver, blanks.match(driver.buffer, driver.position).end())
        if passed is not None:
            return passed
    # A call may be lost here; the end of the message reports it if no call is found there after
    # all.
    if (
        driver.island >= 0
        and empty is None
        and not _judge_cut_opener(driver, in_payload=in_payload)
    ):
        return False
    if driver.island >= 0:
        done = _take_back_island(driver, empty)
    else:
        done = _end_call(driver, in_payload=in_payload)
    if done is not None:
        return done
    _to_text(driver)
    return True


def _judge_cut_opener(driver: Driver, *, in_payload: bool) -> bool:
    """Notes an opener that the end of the text cuts; returns False if more text is needed."""
    if driver.final:
        note_cut_opener(driver)
    # Only the end of the text distinguishes cut markup from other text.
    return driver.final or in_payload or not may_be_cut(driver)


def _is_call(driver: Driver) -> bool:
    """Whether an uncertain island is a whole object with name and arguments behind its opener.

    If the name comes last, nothing before it has made the island certain.
    """
    draft = driver.builder.draft
    if driver.island < 0 or not driver.has_name or draft is None or not draft.has_payload:
        return False
    # The opener counts without the brace and has to be markup: `{"a": 1, "name": "b"}` is data.
    before = driver.buffer[driver.island : draft.payload_start - driver.base].partition("{")[0]
    ended = driver.previous is not None and driver.previous.terminal.text.strip() == "}"
    return ended and len(before.strip()) >= _EVIDENT and not driver.builder.strict


def _end_of_empty(driver: Driver) -> int | None:
    """Returns the index after a closer that directly follows its opener; None if there is none."""
    # As in `<tool_call></tool_call>`: the opener is the one token that was read.
    opens = driver.previous is not None and driver.previous.opens != "" and driver.island >= 0
    if not opens or driver.has_name or driver.builder.strict or driver.island_tokens != 1:
        return None
    buffer = driver.buffer
    place = blanks.match(buffer, driver.position).end()
    # A list with no call in it is nothing, too.
    if (nothing := _EMPTY_LIST.match(buffer, place)) is not None:
        place = nothing.end()
    elif not driver.final and _LIST_BEGUN.match(buffer, place):
        return _WAITS
    # So much white space is not part of an empty call, and it must not be searched at each chunk.
    if place - driver.position > MAX_TOKEN:
        return None
    # A closer that begins with a letter is a word, and a backtick belongs to a fence: both are
    # text.
    closers = [
        each
        for each in driver.node.machine.tables.call_closers
        if not each[0].isalnum() and each[0] != "`"
    ]
    for closer in closers:
        if buffer.startswith(closer, place):
            return place + len(closer)
    # `</tool` at the end of a chunk may become the closer.
    rest = buffer[place:]
    waits = not driver.final and any(closer.startswith(rest) for closer in closers)
    return _WAITS if waits else None


def _drop_empty(driver: Driver, start: int, end: int) -> None:
    """Drops the markup between two indexes, an empty call or section, and reports it."""
    span = Span(driver.base + start, driver.base + end)
    message = f"Found `{driver.buffer[start:end][:80]}` with nothing in it; left it out"
    driver.builder.report("skipped-markup", "warning", message, span, edits=(Edit(span, ""),))
    driver.pass_to(end)


def give_back(driver: Driver) -> None:
    """Gives an uncertain island back as text, or to another format that may read it as a call."""
    driver.payload.end()
    driver.to_tokens()
    if _take_back_island(driver) is None:
        _to_text(driver)


def _to_text(driver: Driver) -> None:
    """Forgets the open call and reads text."""
    driver.leave_call()
    driver.to_text()


def _take_back_island(driver: Driver, empty: int | None = None) -> bool | None:
    """Gives an island back as text: its opener, or, if a payload was read, all of it so far.

    Args:
        driver: the driver.
        empty: the index after an island with nothing in it, which is dropped; else None.

    Returns:
        True if another format reads the island; None if the driver reads text next.
    """
    # An empty call is not a lost call.
    if empty is None:
        note_given_back(driver)
    driver.builder.rewind()
    raws_of(driver.builder).forget()
    driver.end_at(driver.previous_island_end)
    # A payload that was read becomes text as a whole, since nothing inside its strings opens a
    # call. Without one, the search for openers goes on after the first character.
    start = driver.island
    resume = max(driver.position, start + 1) if driver.island_payload else start + 1
    driver.stand_on(driver.island_node)
    # Inside a section of one format the openers of the others do not count.
    if driver.formats is not None and not driver.formats.in_section:
        if driver.formats.read_in_next(driver, start, resume):
            return True
        # Each format records how far it has read in vain, so going on by one character is enough.
        resume = start + 1
    driver.leave_island()
    if empty is not None:
        _drop_empty(driver, start, empty)
        return None
    driver.give_text(start, resume)
    driver.move_to(resume)
    return None


def _end_call(driver: Driver, *, in_payload: bool) -> bool | None:
    """Mends the markup of a certain call, or ends the call here; None if text follows."""
    cut = driver.final and _is_cut(driver)
    # `</` has to be followed by the name of the call; before another word it is given back as well.
    if cut or any(terminal.kind == "same" for _, terminal in driver.node.tokens):
        driver.step_back()
    if cut:
        # The beginning of a closer at the end of the text is markup, not text.
        if close_by_stop(driver):
            return True
        cut_call(driver, root_open=is_json(driver.node))
        driver.move_to(len(driver.buffer))
        driver.stand_on(driver.start_node)
        return None
    mended = mend(driver)
    if mended is not None:
        return mended
    if not in_payload:
        # White space up to here may be consumed already, depending on the chunks, so all of it
        # counts as markup.
        driver.move_to(blanks.match(driver.buffer, driver.position).end())
    report_broken_nameless(driver)
    call_ends.broken(driver.builder, driver.base + driver.position, driver.last_end)
    driver.stand_on(driver.start_node)
    return None


def _is_cut(driver: Driver) -> bool:
    """Whether the text ends inside markup that begins here or with the last short literal."""
    if is_cut_markup(driver, driver.node, driver.position):
        return True
    return driver.way_back is not None and is_cut_markup(
        driver, driver.way_back.node, driver.way_back.start
    )


def give_back_nameless(driver: Driver, step: Step) -> bool:
    """Gives a call without a name back as text if a step ends it; returns whether it does."""
    node = step.node
    ends = "call" in step.closes or (
        node.accepts_text and not driver.builder.has_draft and "call" in node.after_text[0]
    )
    if ends:
        driver.note_payload()  # so that it is given back whole
        give_back(driver)
    return ends

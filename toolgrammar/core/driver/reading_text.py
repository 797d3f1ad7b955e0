"""Reads text: gives it out up to the next opener, and leaves out what a call left behind.

Example: of `On it. <tool_ca` the text `On it. ` goes out, and `<tool_ca` is held back.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgrammar.core.machine.machine import LONGEST_OPENER, SHORT
from toolgrammar.core.machine.near_tokens import opens_at
from toolgrammar.core.machine.repairs import repairs_of, strays_of
from toolgrammar.core.mending.mending import put_in
from toolgrammar.core.trust.standing import NESTED, is_inline, note_fence, note_quoted
from toolgrammar.grammar.roles import RAW_LIKE
from toolgrammar.patterns.partial import BEGUN, MAX_TOKEN
from toolgrammar.values.diagnostics import Edit
from toolgrammar.values.patterns import blanks
from toolgrammar.values.spans import Span

if TYPE_CHECKING:
    from toolgrammar.core.state.driver import Driver


def read_text(driver: Driver) -> bool:
    """Gives out text up to the next opener; False where more text is needed."""
    # A call may leave closers behind it: `</tool_call></tool_call>`.
    if driver.behind is not None and (waits := _behind_island(driver)) is not None:
        return waits
    buffer, position = driver.buffer, driver.position
    node = driver.node
    if driver.among is not None and driver.among.governs(node):
        return driver.among.text(driver)
    # `<tool_` was held back before: it alone is asked for first, not all of the text.
    if driver.held_at == driver.base + position and not driver.final and _still_held(driver):
        return False
    position = driver.position
    match = node.entry.search(buffer, position)
    end = match.start() if match else len(buffer)
    # An opener that stands there counts only if nothing that begins before it may become one. Else
    # where the chunk ended would decide.
    if not driver.final:
        begun = node.begun_entry(buffer, position, end)
        if begun >= 0:
            match, end = None, begun
            driver.hold_at(driver.base + begun)

    # Between the calls of a section nothing is quoted: only in prose may an opener be an example.
    if match is not None and not node.closes_group and not _may_open(driver, end):
        driver.give_text_to(end + 1)
        return True
    if node.skipping and _ends_unopened(driver, end):
        return True
    driver.give_text_to(end)
    if match is None:
        return False
    # If the island turns out to be no call, the builder is taken back to here.
    driver.builder.mark()
    driver.enter_island(node, end)
    if driver.among is not None:
        driver.among.enter_section()
    return True


def _ends_unopened(driver: Driver, end: int) -> bool:
    """Ends a section whose opener was put in, where words stand up to an index: they are text."""
    # Only a section whose opener was guessed ends so; words in one that was opened are left out.
    group, path = driver.builder.group, repairs_of(driver.node).to_text
    if group is None or not group.unopened or path is None:
        return False
    if not driver.buffer[driver.position : end].strip():
        return False
    put_in(driver, path)
    return True


def _still_held(driver: Driver) -> bool:
    """Whether what had begun goes on and opens nothing yet; else gives out what can't any more.

    Without this question each character of it would have all of it searched again.
    """
    buffer, position, node = driver.buffer, driver.position, driver.node
    # What is whole opens, what is longer than any opener does not: both are for the full search.
    if len(buffer) - position > LONGEST_OPENER or node.entry.match(buffer, position):
        return False
    if node.entry_beginnings.match(buffer, position):
        return True
    # A short tail is cheap to search in full; the joint expression is large, so it is made for
    # longer ones alone.
    if len(buffer) - position <= SHORT:
        return False
    found = node.entry_or_begun.search(buffer, position + 1)
    driver.give_text_to(len(buffer) if found is None else found.start())
    held = found is not None and found.lastgroup == BEGUN
    driver.hold_at(driver.base + driver.position if held else -1)
    return held or found is None


def _may_open(driver: Driver, place: int) -> bool:
    """Whether what opens at a place is no inline code; notes a block of code that it stands in.

    What begins with such marks itself is no code, but in a block with more of them.
    """
    builder, offset = driver.builder, driver.base + place
    # An opener that is a fence itself would else be an example in its own block.
    if driver.buffer[place] in "`~":
        note_fence(builder, driver.long_fences, offset, max(0, driver.last_end))
        if builder.turns.fence >= 0:
            builder.turns.stand_in_fence(NESTED)
        return True
    if is_inline(builder, offset):
        # Calls are quoted in inline code; a tag of reasoning counts wherever it stands.
        found = driver.node.opener.match(driver.buffer, place)
        opener = found[0] if found is not None else ""
        tags = driver.node.machine.tables.reasoning_tags
        if opener.strip() in (*tags, *tags.values()):
            return True
        note_quoted(builder, offset, opener)
        return False
    note_fence(builder, driver.fences, offset, max(0, driver.last_end))
    return True


def _behind_island(driver: Driver) -> bool | None:
    """Leaves out closers that follow a call or section; None where text begins."""
    buffer, node = driver.buffer, driver.node
    place = blanks.match(buffer, driver.position).end()
    # In a section the white space between calls is markup; behind a call in text it is text.
    if place > driver.position:
        if node.closes_group and (waits := _blank_in_section(driver, place)) is not None:
            return waits
        driver.give_text(driver.position, place)
        driver.move_to(place)
    if driver.behind is None:
        return None
    # A closer that is left over may still come.
    if place == len(buffer):
        return False
    strays = strays_of(node)
    match = strays.pattern.match(buffer, place)
    # `</tool` may become a closer that is left over.
    if not driver.final and strays.beginnings.match(buffer, place):
        return False
    # A closer with a name is left over only from a call of that name: `</search>` behind `search`.
    name = match.groupdict().get("name") if match else None
    opens = _opens(driver, place)
    if opens is None:
        return False
    if match is None or name not in (None, driver.behind) or opens:
        driver.forget_last_call()
        return None
    _leave_out(driver, place, match.end())
    driver.move_to(match.end())
    return True


def _leave_out(driver: Driver, start: int, end: int) -> None:
    """Reports a closer of something that is not open; it is no text.

    What closes a text without escapes may be that text's own closer: it may go on up to there.
    Nothing is lost with any other.
    """
    builder, step = driver.builder, driver.payload.step
    span = Span(max(0, driver.base + start), max(0, driver.base + end))
    written = driver.buffer[start:end]
    # A value without escapes may hold its own closer: then the first of two ended it too early.
    closers = step.node.tokens if step is not None and step.terminal.name in RAW_LIKE else ()
    may_be_cut = written.strip() in {terminal.text.strip() for _, terminal in closers}
    builder.report(
        "stray-close-tag",
        "error" if may_be_cut else "warning",
        f"Found `{written[:40]}` behind the call that it may belong to; left it out",
        span,
        edits=(Edit(span, ""),),
        hint="a value may have ended too early" if may_be_cut else "its opener may be missing",
    )


def _blank_in_section(driver: Driver, place: int) -> bool | None:
    """Takes white space before a section's closer or next call as markup; None where it is text.

    Args:
        driver: the driver, which stands where the white space begins.
        place: where the white space ends.
    """
    buffer, node = driver.buffer, driver.node
    # No token has so much white space before it.
    if place - driver.position > MAX_TOKEN:
        driver.forget_last_call()
        return None
    if not driver.final and (place == len(buffer) or node.entry_beginnings.match(buffer, place)):
        return False
    if not opens_at(node, buffer, place):
        return None
    driver.move_to(place)
    return True


def _opens(driver: Driver, place: int) -> bool | None:
    """Whether an island opens at a place; None where more text has to come to tell."""
    if driver.among is not None and driver.among.governs(driver.node):
        return driver.among.opens(driver, place)
    node, buffer = driver.node, driver.buffer
    # Where markup alone opens nothing, the name of a tool behind it may: `<function=sea` opens.
    near = not driver.final and len(buffer) - place <= LONGEST_OPENER
    if near and node.entry_beginnings.match(buffer, place):
        return None
    return opens_at(node, buffer, place)

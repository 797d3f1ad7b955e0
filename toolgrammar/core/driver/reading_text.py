"""Reads text: emits it up to the next opener, and drops stray closers after a call.

Example: of `On it. <tool_ca` the text `On it. ` is emitted, and `<tool_ca` is held back.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgrammar.core.machine.machine import LONGEST_OPENER, SHORT
from toolgrammar.core.machine.repairs import repairs_of, strays_of
from toolgrammar.core.mending.mending import insert_markup
from toolgrammar.core.trust.code_around import is_inline, note_block, note_quoted
from toolgrammar.grammar.roles import RAW_LIKE
from toolgrammar.patterns.partial import BEGUN, MAX_TOKEN
from toolgrammar.values.diagnostics import Edit
from toolgrammar.values.patterns import blanks
from toolgrammar.values.spans import Span

if TYPE_CHECKING:
    from toolgrammar.core.machine.machine import Node
    from toolgrammar.core.state.driver import Driver


def read_text(driver: Driver) -> bool:
    """Emits text up to the next opener; returns False if more text is needed."""
    # A call may be followed by closers that are left over: `</tool_call></tool_call>`.
    if driver.just_ended is not None and (dropped := _drop_stray_closers(driver)) is not None:
        return dropped
    buffer, position = driver.buffer, driver.position
    node = driver.node
    if driver.formats is not None and driver.formats.governs(node):
        return driver.formats.text(driver)
    # If `<tool_` was held back before, it alone is checked first, not all of the text.
    if driver.held_at == driver.base + position and not driver.final and _is_still_held(driver):
        return False
    position = driver.position
    if position == len(buffer):  # Most messages end with a call: nothing is left to search.
        return False
    match = node.entry.search(buffer, position)
    end = match.start() if match else len(buffer)
    # An opener counts only if nothing that begins before it may still become one. Else the end of
    # the chunk would decide which of the two opens.
    if not driver.final:
        begun = node.begun_entry(buffer, position, end)
        if begun >= 0:
            match, end = None, begun
            driver.hold_at(driver.base + begun)

    if node.skipping and _ends_unopened(driver, end):
        return True
    # Only in prose may an opener be an example: between the calls of a section nothing is quoted.
    if match is not None and not node.closes_group:
        opens = _may_open(driver, end)
        if not opens:
            driver.give_text_to(end if opens is None else end + 1)
            return opens is not None
    driver.give_text_to(end)
    if match is None:
        return False
    # If the island turns out not to be a call, the builder is rewound to this state.
    driver.builder.begin_island()
    driver.enter_island(node, end)
    if driver.formats is not None:
        driver.formats.enter_section()
    return True


def _ends_unopened(driver: Driver, end: int) -> bool:
    """Ends a section whose opener was inserted, if words follow: they are text of the message."""
    # Only a section with a guessed opener ends this way; in any other one the words are skipped.
    group, path = driver.builder.group, repairs_of(driver.node).to_text
    if group is None or not group.unopened or path is None:
        return False
    if not driver.buffer[driver.position : end].strip():
        return False
    insert_markup(driver, path)
    return True


def _is_still_held(driver: Driver) -> bool:
    """Whether the suffix that is held back may still become an opener; else emits what can't.

    Without this check each new character would have the whole suffix searched again.
    """
    buffer, position, node = driver.buffer, driver.position, driver.node
    # A whole opener, or more text than any opener has, is left to the full search.
    if len(buffer) - position > LONGEST_OPENER or node.entry.match(buffer, position):
        return False
    if node.entry_beginnings.match(buffer, position):
        return True
    # A short suffix is cheap to search in full. The joint expression below is large, so it is
    # compiled for longer ones only.
    if len(buffer) - position <= SHORT:
        return False
    found = node.entry_or_begun.search(buffer, position + 1)
    driver.give_text_to(len(buffer) if found is None else found.start())
    held = found is not None and found.lastgroup == BEGUN
    driver.hold_at(driver.base + driver.position if held else -1)
    return held or found is None


def _may_open(driver: Driver, place: int) -> bool | None:
    """Whether the opener at an index stands outside inline code; notes the code block around it.

    It is None if the opener is not whole, and the rest of it says whether it is one of a call:
    ` to=` may become ` to=commentary<|message|>`.
    An opener that itself begins with a backtick or tilde is never in inline code, but it may stand
    in a block with a longer fence.
    """
    builder, offset = driver.builder, driver.base + place
    is_fence = driver.buffer[place] in "`~"
    in_code = not is_fence and is_in_code(driver, place)
    if in_code is None:
        return None
    if in_code:
        if not driver.final and driver.node.entry_beginnings.match(driver.buffer, place):
            return None
        # Calls are quoted in inline code; a tag of reasoning counts wherever it stands.
        found = driver.node.opener.match(driver.buffer, place)
        opener = found[0] if found is not None else ""
        tag, tags = opener.strip(), driver.node.machine.tables.reasoning_tags
        if tag in tags or tag in tags.values():
            return True
        note_quoted(builder, offset, opener)
        return False
    note_block(builder, driver.blocks, offset, driver.last_end, is_fence=is_fence)
    return True


def is_in_code(driver: Driver, place: int) -> bool | None:
    """Whether the markup at an index is in inline code, where it is only a mention.

    The closer of the reasoning or content that was read last counts, though a backtick is open in
    that, unless the code ends right behind it: `` `<|end|>` `` mentions it.

    Returns:
        None if more text is needed.
    """
    start = driver.payload.prose_from(driver.previous, driver.last_end)
    if not is_inline(driver.builder, driver.base + place, start):
        return False
    end = _end_of_closer(driver, place)
    if end < 0:
        return True
    if end == len(driver.buffer) and not driver.final:
        return None
    return driver.buffer.startswith("`", end)


def _end_of_closer(driver: Driver, place: int) -> int:
    """Returns the index after the closer of the prose that was read last; -1 if none is at `place`."""
    step = driver.payload.step
    if step is None or step is not driver.previous:
        return -1
    if driver.buffer[driver.last_end - driver.base : place].strip():
        return -1
    token = driver.node.token.match(driver.buffer, place)
    if token is None or token.lastgroup not in driver.node.steps:
        return -1
    # An opener may end the prose, too, but is only a mention in inline code.
    closer = driver.node.steps[token.lastgroup].terminal
    return -1 if closer.name in driver.start_node.names else token.end()


def _drop_stray_closers(driver: Driver) -> bool | None:
    """Drops closers left over after a call or section; None where text begins, False to wait."""
    buffer, node = driver.buffer, driver.node
    place = blanks.match(buffer, driver.position).end()
    # White space between the calls of a section is markup; after a call in text it is text.
    if place > driver.position:
        if node.closes_group and (passed := _pass_blanks_in_section(driver, place)) is not None:
            return passed
        # The white space of the last line may belong to an opener: `    send(`.
        line = max(driver.position, buffer.rfind("\n", driver.position, place) + 1)
        if place - line > MAX_TOKEN:  # No token has so much before it.
            line = place
        driver.give_text(driver.position, line)
        driver.move_to(line)
    if driver.just_ended is None:
        return None
    # A closer may still follow the white space; at the end of the message that is text.
    if place == len(buffer):
        return None if driver.final else False
    strays = strays_of(node)
    match = strays.pattern.match(buffer, place)
    # `</tool` may become a closer.
    if not driver.final and strays.beginnings.match(buffer, place):
        return False
    # A closer with a name counts only after a call of that name: `</search>` after `search`.
    name = match.groupdict().get("name") if match else None
    opens = _opens(driver, place)
    if opens is None:
        return False
    if match is None or name not in (None, driver.just_ended) or opens:
        driver.forget_last_call()
        return None
    driver.give_text(driver.position, place)
    _report_stray_closer(driver, place, match.end())
    driver.move_to(match.end())
    return True


def _report_stray_closer(driver: Driver, start: int, end: int) -> None:
    """Reports a closer of something that is not open as dropped markup.

    It is an error if it closes a value without escapes: the value may go on up to this closer. Any
    other closer loses nothing, which is a warning.
    """
    builder, step = driver.builder, driver.payload.step
    span = Span(driver.base + start, driver.base + end)
    written = driver.buffer[start:end]
    # A value without escapes may contain its own closer: the first of two then ended it too early.
    closers = step.node.tokens if step is not None and step.terminal.name in RAW_LIKE else ()
    may_be_cut = written.strip() in {terminal.text.strip() for _, terminal in closers}
    severity = "error" if may_be_cut else "warning"
    message = f"Found `{written[:40]}` behind the call that it may belong to; left it out"
    hint = "a value may have ended too early" if may_be_cut else "its opener may be missing"
    if written in driver.node.machine.tables.stops:
        message = f"Found `{written[:40]}` behind a call, which ends the turn; left it out"
        hint = "let the server stop at it"
    edits = (Edit(span, ""),)
    builder.report("stray-close-tag", severity, message, span, edits=edits, hint=hint)


def _pass_blanks_in_section(driver: Driver, place: int) -> bool | None:
    """Consumes white space before a section's closer or next call as markup.

    Args:
        driver: the driver, at the beginning of the white space.
        place: the index after the white space.

    Returns:
        True if it was consumed, False if more text is needed, None if it is text.
    """
    buffer, node = driver.buffer, driver.node
    # No token has so much white space before it.
    if place - driver.position > MAX_TOKEN:
        driver.forget_last_call()
        return None
    if not driver.final and (place == len(buffer) or node.entry_beginnings.match(buffer, place)):
        return False
    if not _opens_at(node, buffer, place):
        return None
    driver.move_to(place)
    return True


def _opens(driver: Driver, place: int) -> bool | None:
    """Whether an island opens at an index; None if more text is needed."""
    if driver.formats is not None and driver.formats.governs(driver.node):
        return driver.formats.opens(driver, place)
    node, buffer = driver.node, driver.buffer
    # Markup that opens nothing by itself may open a call with a tool's name: `<function=sea`.
    near = not driver.final and len(buffer) - place <= LONGEST_OPENER
    if near and node.entry_beginnings.match(buffer, place):
        return None
    return _opens_at(node, buffer, place)


def _opens_at(node: Node, text: str, place: int) -> bool:
    """Whether an opener, correct or misspelt, or a call without one stands at an index."""
    # Most texts have none there, and `entry` was compiled for the search in the text before it.
    if node.entry.match(text, place) is None:
        return False
    if node.opener.match(text, place):
        return True
    return any(each.matches(text, place) for each in node.near_openers)

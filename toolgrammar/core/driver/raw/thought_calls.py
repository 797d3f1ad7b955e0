"""Ends reasoning without a closer before calls at the end of the message, which it excludes.

Example: after `<think>I need it.` and a complete call in the next line, the reasoning ends before
the call.

Models forget the closer. If tools are known, and all text from an opener on is calls of these
tools, the reasoning ended before that opener. So a stream holds reasoning back from such an opener
on, up to the closer or to the end of the text.

Reasoning that has no closer in its format, such as that behind `Thought:`, also ends before calls
of another format, which the next label may follow.
"""

from __future__ import annotations

from bisect import insort
from typing import TYPE_CHECKING, Final

from toolgrammar.core.arguments.raw_values import raws_of
from toolgrammar.core.driver.payload_end import leave
from toolgrammar.core.driver.raw.state import LINE
from toolgrammar.core.machine.machine import LONGEST_OPENER
from toolgrammar.core.machine.repairs import repairs_of
from toolgrammar.core.mending.mending import insert_markup
from toolgrammar.core.trust.call_or_text import opens_as_prose
from toolgrammar.core.trust.thoughts import judge_thought
from toolgrammar.values.patterns import blanks

if TYPE_CHECKING:
    from toolgrammar.core.driver.raw.state import RawReader
    from toolgrammar.core.state.driver import Driver
    from toolgrammar.core.state.protocols import AllOpeners
    from toolgrammar.values.calls import ToolCall

_MARKS: Final = frozenset("<[{]")
"""The first characters of lines at which calls of any format are searched."""
_MOST: Final = 8
"""The most openers from which the rest of the text is tried as calls."""


def note_island(reader: RawReader, start: int) -> bool | None:
    """Holds reasoning back from an opener on, if tools are known.

    Returns:
        False, since it does not end the reasoning; None if more text is needed.
    """
    # Text is emitted in its order, so a call of another format that begins before is noted first.
    if reader.line_openers is not None and reader.line_openers.look(reader, start) < start:
        return None
    reader.search_from(start + 1)
    # An opener behind words on its line is only mentioned.
    if reader.driver.builder.tools and reader.begins_line(start):
        _hold_back(reader, start)
    return False


def _hold_back(reader: RawReader, start: int) -> None:
    """Notes that calls may begin at an index, and holds back the text from there on."""
    place = reader.driver.base + start
    if place not in reader.call_openers:
        insort(reader.call_openers, place)
    if reader.held is None:
        reader.hold_back(start)


class LineOpeners:
    """The search for lines in reasoning that begin like the calls of any of several formats."""

    def __init__(self, openers: AllOpeners, looked: int) -> None:
        self.openers = openers
        self.looked = looked
        """The offset up to which lines were searched."""
        self.is_fresh = True
        """Whether only white space stands in its line before that offset."""

    def look(self, reader: RawReader, stop: int) -> int:
        """Notes lines before an index that may be calls.

        Returns:
            The index up to which lines were searched.
        """
        driver = reader.driver
        buffer, at = driver.buffer, max(self.looked - driver.base, 0)
        while at < stop:
            if self.is_fresh:
                at = blanks.match(buffer, at).end()
                # An opener may stand only at the first character of a line that is not blank.
                if at >= stop:
                    break
                self.looked = driver.base + at
                # At the end of a chunk `<tool` may become an opener, so the rest waits.
                is_near = not driver.final and len(buffer) - at <= LONGEST_OPENER
                is_mark = buffer[at] in _MARKS or reader.raw_end.node.ends_by_opener
                if is_mark and is_near and self.openers.begins_at(buffer, at):
                    return at
                if is_mark and self._opens(reader, at):
                    _hold_back(reader, at)
            at = buffer.find("\n", at, stop) + 1
            self.is_fresh = at > 0
            if not at:
                break
        self.looked = driver.base + stop
        return stop

    def _opens(self, reader: RawReader, place: int) -> bool:
        """Whether an opener of any format that is not prose begins a line at an index."""
        buffer = reader.driver.buffer
        if not self.openers.stands_at(buffer, place):
            return False
        # A line of prose may begin with a fence or a tag, too. If the reasoning has no closer, a
        # call is just as likely.
        if opens_as_prose(buffer, place) and not reader.raw_end.node.ends_by_opener:
            return False
        # A bracket after markup belongs to that markup.
        offset = reader.driver.base + place
        before = reader.driver.builder.source.slice(offset - LINE, offset).rstrip()
        return reader.begins_line(place) and not (before.endswith(">") and buffer[place] in "{[")


def end_open_thought(reader: RawReader, stop: int) -> bool | None:
    """Ends a thought that has no closer in its format before calls that stand at its end.

    Example: `Thought: I need it.`, a call in another format, and the next `Thought:`.

    Args:
        reader: the reader.
        stop: the index of the opener that ends the thought otherwise.

    Returns:
        Whether there are such calls; None if more text is needed.
    """
    if reader.line_openers is None or not reader.raw_end.node.ends_by_opener:
        return False
    if reader.line_openers.look(reader, stop) < stop:
        return None
    reader.emit_to(stop)
    return bool(reader.call_openers) and end_before_calls(reader, stop)


def end_before_calls(reader: RawReader, stop: int) -> bool:
    """Ends reasoning before calls that stand at its end; returns False if there are none.

    Args:
        reader: the reader.
        stop: the index where the reasoning ends otherwise.
    """
    driver = reader.driver
    builder, base = driver.builder, driver.base
    node = reader.raw_end.node
    path = () if node.ends_by_opener else repairs_of(node).to_text
    # A trial does not begin another trial, and in strict reading nothing is guessed.
    is_tried = builder.is_trial or (driver.formats is not None and driver.formats.trying)
    if path is None or is_tried or builder.strict or not builder.tools:
        return False
    # Each trial reads all text after the opener, so only the first few openers are tried.
    for place in reader.call_openers[:_MOST]:
        if not _are_calls(driver, builder.source.slice(place, base + stop)):
            continue
        # The held text before the opener is reasoning; the rest is read as calls.
        held = "".join(reader.take_held())
        raws_of(builder).take(held[: max(0, len(held) - (base + driver.position - place))])
        rest = builder.source.slice(place, base + len(driver.buffer))
        driver.stand_before(rest, place)
        judge_thought(builder, raws_of(builder).start, place, is_open=True)
        raws_of(builder).end(place, whole=True)
        leave(driver, driver.position)
        builder.watch(watched=False)  # the trial has judged the calls
        # Reasoning such as that behind `Thought:` has no closer, so none is missing before a call.
        if path:
            insert_markup(driver, path)
            builder.mend_next()
        driver.to_text()
        return True
    return False


def _are_calls(driver: Driver, text: str) -> bool:
    """Whether a text consists only of executable calls of known tools."""
    calls: list[ToolCall] = []
    for tried in driver.try_apart(text):
        if tried.builder.text_parts.stripped():
            return False  # text soon follows most openers that the reasoning only mentions
        calls = tried.builder.calls
    tools = driver.builder.tools
    return bool(calls) and all(call.executable and call.name in tools for call in calls)

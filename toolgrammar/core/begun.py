"""Notes what opened as calls do and was given back as text: a call was meant that can't be read.

Where the end of the text cuts it before it is certain, that is said of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgrammar.core.mending import cut_here
from toolgrammar.core.weights import POSSIBLE, is_of_calls, letters_of
from toolgrammar.values.patterns import blanks, late
from toolgrammar.values.spans import Span

if TYPE_CHECKING:
    from toolgrammar.core.build import Builder
    from toolgrammar.core.driver import Driver

_EMPTY = late(r"\s*\[\s*\]\s*")
_BEHIND = late(
    r"""\s*+(?:[{}\[\]<(|/\uff5c]|["']\w|[\w.:/$@-]{1,256}[ \t]?[=({\[])"""
    r"""|(?:[^\S\n]*+\n\s*+|(?<=:)\s*+)?[\w.:/$@-]{0,256}\w(?:\s*+\Z|[ \t]*\r?\n|[^\w\s.,;!?])"""
)
"""What calls have behind their opener; a sentence goes on with a word, or with a mark of its own."""


def note_begun(driver: Driver) -> None:
    """Notes where an island begins that the end of the text cuts, if calls alone begin so."""
    builder, start = driver.builder, driver.island
    if builder.begun is None and _is_cut(driver):
        is_certain = _begins_as_calls_alone(driver)
        if is_certain or (driver.among is None and _has_signs(driver)):
            builder.begun = max(0, driver.base + start), driver.base + len(driver.buffer)


def note_given_back(driver: Driver) -> None:
    """Notes the opener of an island that is given back: a call may have been meant."""
    place = driver.base + driver.island
    opener = driver.island_node.opener.match(driver.buffer, driver.island)
    if opener is not None and place >= 0 and letters_of(opener[0]):
        driver.builder.given_back[place] = driver.base + opener.end()


def _begins_as_calls_alone(driver: Driver) -> bool:
    """Whether the opener is markup that texts do not have, with what calls have behind it.

    One by itself is judged with the rest of the text (`unread`).
    """
    buffer, start = driver.buffer, driver.island
    opener = driver.island_node.opener.match(buffer, start)
    if opener is None or not _BEHIND.match(buffer, behind := opener.end()):
        return False
    is_inline = buffer[start - 1 : start] == "`" in buffer[behind:]
    if is_inline or _EMPTY.fullmatch(buffer, behind):
        return False
    is_in_section = driver.builder.group_marked is not None
    return is_in_section or is_of_calls(opener[0], buffer[behind : behind + 1])


def _has_signs(driver: Driver) -> bool:
    """Whether what came of the call has a key or a label of calls: an object may be data, too."""
    written = driver.buffer[driver.island :].rstrip()
    if written.endswith("```"):
        return False  # what the fence held is whole
    weights = driver.island_node.machine.signs.weights
    return sum(weight for sign, weight in weights.items() if sign in written) >= POSSIBLE


def _is_cut(driver: Driver) -> bool:
    """Whether the text ends where the call could still go on."""
    buffer, position = driver.buffer, blanks.match(driver.buffer, driver.position).end()
    if position == len(buffer) or cut_here(driver, driver.node, driver.position):
        return True
    begun = (step.begun for step in driver.node.payloads)
    return any(each is not None and each.match(buffer, position) for each in begun)


def report_begun(builder: Builder) -> None:
    """Reports the beginning of a call at the end of a message, where nothing else tells of it."""
    if builder.begun is None or builder.header.calls == "last":
        return
    start, end = builder.begun
    ends = [each.span.end for each in builder.diagnostics if each.severity == "error"]
    ends += [call.span.end for call in builder.calls]
    if max(ends, default=-1) <= start:
        message = "Found the end of the text in the beginning of a call; it stays text"
        builder.report("truncated", "error", message, Span(start, end))

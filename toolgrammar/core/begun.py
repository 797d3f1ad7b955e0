"""Tells of a call that the end of the text cuts before it is certain: its markup is text then."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgrammar.core.mending import cut_here
from toolgrammar.core.scanners import PYTHON_BEGINNINGS
from toolgrammar.core.weights import CERTAIN, POSSIBLE, weight_of
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
    """Notes where an island begins that the end of the text cuts, if calls alone begin so.

    An opener by itself says nothing, for a sentence may end with one.
    """
    builder, buffer, start = driver.builder, driver.buffer, driver.island
    if builder.begun is not None or not _is_cut(driver):
        return
    is_certain = _begins_as_calls_alone(driver)
    if is_certain or (driver.among is None and _has_signs(driver)):
        builder.begun = (max(0, driver.base + start), driver.base + len(buffer), is_certain)


def _begins_as_calls_alone(driver: Driver) -> bool:
    """Whether the opener is markup that texts do not have, with what calls have behind it."""
    buffer, start = driver.buffer, driver.island
    opener = driver.island_node.opener.match(buffer, start)
    if opener is None or not _BEHIND.match(buffer, behind := opener.end()):
        return False
    is_quoted = buffer[start - 1 : start] == "`" in buffer[behind:]
    if is_quoted or _EMPTY.fullmatch(buffer, behind):
        return False
    tag = buffer[start:behind].strip() + ("[" if buffer[behind] == "[" else "")
    return driver.builder.group_marked is not None or weight_of(tag) >= CERTAIN


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
    python = any(step.terminal.name == "PYTHON_ARGUMENTS" for step in driver.node.payloads)
    return python and PYTHON_BEGINNINGS.match(buffer, position) is not None


def report_begun(builder: Builder) -> None:
    """Reports the beginning of a call at the end of a message, where nothing else tells of it."""
    if builder.begun is None or builder.header.calls == "last":
        return
    start, end, is_certain = builder.begun
    ends = [each.span.end for each in builder.diagnostics if each.severity == "error"]
    ends += [call.span.end for call in builder.calls]
    if max(ends, default=-1) <= start:
        message = "Found the end of the text in the beginning of a call; it stays text"
        code, severity = ("truncated", "error") if is_certain else ("unread-call", "warning")
        builder.report(code, severity, message, Span(start, end))

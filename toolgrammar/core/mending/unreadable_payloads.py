"""Skips text in place of the arguments of a call, so that the calls after it are still read.

Example: a call with `"arguments": 5` is unreadable, and the call after it is read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolgrammar.core.machine.kept import kept
from toolgrammar.core.machine.repairs import repairs_of
from toolgrammar.grammar.roles import JSON_LIKE
from toolgrammar.values.patterns import blanks, late
from toolgrammar.values.spans import Span

if TYPE_CHECKING:
    from toolgrammar.core.machine.machine import Node, Step
    from toolgrammar.core.message.build import Builder
    from toolgrammar.core.state.driver import Driver

_REACH: Final = 1024
"""The number of characters in which the markup after the arguments is searched."""
_BRACKET_OR_STRING = late(r'[{}\[\]]|"(?:[^"\\]|\\.)*"|(?P<odd>")')
_DISTINCTIVE: Final = 5
"""The least number of characters of markup that is evidence by itself."""


class _LastSearch:
    """The last search for markup after the arguments that found none.

    A search goes through all text since the arguments, and a stream would make one a character: so
    the next one waits for twice as much text.
    """

    def __init__(self) -> None:
        self._node: Node | None = None
        self._place = self._size = 0

    def waits(self, node: Node, place: int, size: int) -> bool:
        """Whether to wait for more text.

        Args:
            node: the node after the arguments; of several formats, each searches for its own.
            place: the offset of the arguments.
            size: the number of characters since then.
        """
        return node is self._node and place == self._place and size < 2 * self._size

    def failed(self, node: Node, place: int, size: int) -> None:
        """Notes a search that found nothing."""
        self._node, self._place, self._size = node, place, size


@kept
def _last_search(_builder: Builder) -> _LastSearch:
    """Returns the record of a message."""
    return _LastSearch()


def pass_unreadable(driver: Driver, start: int) -> bool | None:
    """Skips text that is not an object where the arguments of a call have to begin.

    Returns:
        True if it was skipped; False if more text is needed; None if this case does not apply.
    """
    builder, buffer, draft = driver.builder, driver.buffer, driver.builder.draft
    certain = driver.island < 0 or builder.group is not None
    payloads = driver.node.payloads
    if not (certain and driver.called) or draft is None or builder.strict or len(payloads) != 1:
        return None
    step = payloads[0]
    # This applies only to arguments that have to be an object.
    if step.terminal.name not in JSON_LIKE or step.leaf != "arguments":
        return None
    node = step.node
    # Half a closer may be all that has come.
    if not driver.final and len(buffer) - start < _REACH and node.beginnings.match(buffer, start):
        return False
    is_open = not driver.final and len(buffer) - start < _REACH
    place = driver.base + start
    # In `"arguments": }` there is no text to skip.
    end: int | None = start
    if not node.token.match(buffer, start):
        last_search, size = _last_search(builder), len(buffer) - start
        if is_open and last_search.waits(node, place, size):
            return False
        end = _end(driver, node, start, is_open=is_open)
        if end is None and is_open:
            last_search.failed(node, place, size)
    if end is None:
        return False if is_open else None
    stop = driver.base + len(buffer[:end].rstrip())
    error = "Found no object where the arguments should be"
    draft.span_arguments(place, max(place, stop))
    draft.fail(error)
    builder.report("malformed-arguments", "error", error, Span(place, max(place, stop)))
    if driver.island >= 0:
        driver.commit()
    driver.move_to(end)
    driver.end_at(max(place, stop))
    driver.pass_over(step)
    return True


def _end(driver: Driver, node: Node, start: int, *, is_open: bool) -> int | None:
    """Returns the index of markup that can only follow the arguments; None if there is none.

    Also None if a string is open that more text may close, since it may contain that markup.
    """
    # This markup is the call's closers, anchors after missing closers, or the next call's opener.
    patterns = (node.token, repairs_of(node).pattern, driver.start_node.opener)
    found = [
        match.start()
        for pattern in patterns
        for match in pattern.finditer(driver.buffer, start, start + _REACH)
        if len(match.group().strip()) >= _DISTINCTIVE
    ]
    # In `"arguments": 5}` the bracket that the text does not open is the call's own.
    bracket = _bracket(driver.buffer[start : start + _REACH], is_open=is_open)
    if bracket is None:
        return None
    if bracket >= 0 and node.token.match(driver.buffer, start + bracket):
        found.append(start + bracket)
    return blanks.match(driver.buffer, min(found)).end() if found else None


def _bracket(text: str, *, is_open: bool) -> int | None:
    """Returns the index of the first bracket that closes more than the text opens; -1 if none.

    None if a string is open before it that more text may close.
    """
    depth = 0
    for part in _BRACKET_OR_STRING.finditer(text):
        # A bracket inside a string does not count, and more text may close the string.
        if part["odd"] and is_open:
            return None
        # A complete string does not count, as it begins and ends with quotes.
        depth += (part[0] in "{[") - (part[0] in "}]")
        if depth < 0:
            return part.start()
    return -1


def holds_arguments(driver: Driver, step: Step, start: int) -> bool:
    """Whether a string stands in place of the arguments' object, and may contain it as JSON."""
    # In an uncertain island the object may be data, as nothing has shown that it is a call.
    certain = driver.island < 0 or driver.builder.group is not None
    is_text = driver.buffer[start : start + 1] == '"' and step.terminal.name in JSON_LIKE
    return certain and is_text and driver.called and step.leaf == "arguments"

"""Handles calls without a name, and calls whose arguments can't be read.

Text in place of the arguments is skipped, so that the calls after it are still read: a call with
`"arguments": 5` is unreadable, and the call after it is read. In
`[{"name": "f", "arguments": {}}, {"id": "a` the text ends in a second call before
its name: this call is dropped.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolgrammar.core.calls.role_effects import doubt_second
from toolgrammar.core.machine.caches import cached_on_argument
from toolgrammar.core.machine.repairs import repairs_of
from toolgrammar.grammar.roles import JSON_LIKE
from toolgrammar.values.patterns import blanks, late
from toolgrammar.values.spans import Span

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toolgrammar.core.machine.machine import Node, Step
    from toolgrammar.core.message.build import Builder
    from toolgrammar.core.state.driver import Driver

_REACH: Final = 1024
"""The number of characters in which the markup after the arguments is searched."""
_LEAST: Final = 16
"""The number of characters in which it is searched first."""
_BRACKET_OR_STRING = late(r'[{}\[\]]|"(?:[^"\\]|\\.)*"|(?P<odd>")')
_DISTINCTIVE: Final = 5
"""The least number of characters of markup that is evidence by itself."""


class _Searches:
    """The searches for markup after the arguments: in some characters, then in twice as many.

    A search goes through all text since the arguments, and a stream would repeat it at each chunk.
    The sizes do not depend on how the text was cut, so neither does the result.
    """

    def __init__(self) -> None:
        self._node: Node | None = None
        self._place = self._size = 0

    def forget(self) -> None:
        """Forgets what was searched, as the text is read again."""
        self._node = None

    def sizes(self, node: Node, place: int, size: int) -> Iterator[int]:
        """Yields the numbers of characters in which to search now, the least first.

        Args:
            node: the node after the arguments; of several formats, each searches for its own.
            place: the offset of the arguments.
            size: the number of characters since then.
        """
        if node is not self._node or place != self._place:
            self._node, self._place, self._size = node, place, _LEAST
        while self._size <= min(size, _REACH):
            self._size *= 2
            yield self._size // 2


@cached_on_argument
def searches_of(_builder: Builder) -> _Searches:
    """Returns the searches of a message, made on first use."""
    return _Searches()


def pass_unreadable(driver: Driver, start: int) -> bool | None:
    """Skips text that is not an object where the arguments of a call have to begin.

    Returns:
        True if it was skipped; False if more text is needed; None if this case does not apply.
    """
    builder, buffer, draft = driver.builder, driver.buffer, driver.builder.draft
    certain = driver.island < 0 or builder.group is not None
    payloads = driver.node.payloads
    if not (certain and driver.has_name) or draft is None or builder.strict or len(payloads) != 1:
        return None
    step = payloads[0]
    # This applies only to arguments that have to be an object.
    if step.terminal.name not in JSON_LIKE or step.role != "arguments":
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
        sizes = searches_of(builder).sizes(node, place, len(buffer) - start)
        found = (
            _end_of_arguments(driver, node, start, start + size, is_open=True) for size in sizes
        )
        end = next((each for each in found if each is not None), None)
        if end is None and not is_open:
            end = _end_of_arguments(driver, node, start, start + _REACH, is_open=False)
    if end is None:
        return False if is_open else None
    stop = max(place, driver.base + len(buffer[:end].rstrip()))
    if draft.has_payload:
        # Those that came before are emitted: they stay.
        doubt_second(builder, "arguments", place, stop)
    else:
        error = "Found no object where the arguments should be"
        draft.span_arguments(place, stop)
        draft.fail(error)
        builder.report("malformed-arguments", "error", error, Span(place, stop))
    if driver.island >= 0:
        driver.commit()
    driver.move_to(end)
    driver.end_at(stop)
    driver.apply_without_text(step)
    return True


def _end_of_arguments(
    driver: Driver, node: Node, start: int, stop: int, *, is_open: bool
) -> int | None:
    """Returns the index of markup that can only follow the arguments; None if there is none.

    Also None if a string is open that more text may close, since it may contain that markup.

    Args:
        driver: the driver.
        node: the node after the arguments.
        start: the index where they begin.
        stop: the index up to which the text is searched.
        is_open: whether more text may follow there.
    """
    # This markup is the call's closers, anchors after missing closers, or the next call's opener.
    patterns = (node.token, repairs_of(node).pattern, driver.start_node.opener)
    found = [
        match.start()
        for pattern in patterns
        for match in pattern.finditer(driver.buffer, start, stop)
        if len(match.group().strip()) >= _DISTINCTIVE
    ]
    # In `"arguments": 5}` the bracket that the text does not open is the call's own.
    bracket = _unopened_bracket(driver.buffer[start:stop], is_open=is_open)
    if bracket is None:
        return None
    if bracket >= 0 and node.token.match(driver.buffer, start + bracket):
        found.append(start + bracket)
    return blanks.match(driver.buffer, min(found)).end() if found else None


def _unopened_bracket(text: str, *, is_open: bool) -> int | None:
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
    return certain and is_text and driver.has_name and step.role == "arguments"


_SEPARATORS: Final = " \t\r\n,;"
"""The characters between the calls of a section."""


def report_cut_nameless(driver: Driver) -> None:
    """Reports a call of a section in which the text ends before its name."""
    end = driver.base + len(driver.buffer)
    if _has_begun(driver, end):
        message = "Found the end of the text before the name of a call; what came of it is left out"
        driver.builder.report("truncated", "error", message, Span(min(driver.call_start, end), end))


def report_broken_nameless(driver: Driver) -> None:
    """Reports a call of a section that text which does not fit breaks off before its name."""
    end = driver.base + driver.position
    if _has_begun(driver, end):
        message = (
            "Found text that fits no call, before the name of one; what came of it is left out"
        )
        driver.builder.report("malformed-call", "error", message, Span(driver.call_start, end))


def _has_begun(driver: Driver, end: int) -> bool:
    """Whether a call without a name stands in a section up to an offset."""
    if driver.builder.group is None or driver.builder.has_draft:
        return False
    path = repairs_of(driver.node).to_end
    could_close = path and not any("call" in step.closes_before + step.closes for step in path)
    could_close = could_close and driver.call_start < driver.last_end  # no token of a call was read
    return not could_close and bool(
        driver.builder.source.slice(driver.call_start, end).strip(_SEPARATORS)
    )

"""Mends the beginning of a JSON object of arguments: in a code fence, or without its brace.

Example: of `[TOOL_CALLS]f[ARGS]"city": "Rome"}` the arguments are read as `{"city": "Rome"}`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgrammar.core.arguments.json_payload import JsonPayload
from toolgrammar.core.arguments.scanned_values import scanned_of
from toolgrammar.core.driver.payload_end import leave
from toolgrammar.core.mending.fences import skip_fence
from toolgrammar.grammar.roles import JSON_LIKE
from toolgrammar.values.diagnostics import Edit
from toolgrammar.values.patterns import late
from toolgrammar.values.spans import Span

if TYPE_CHECKING:
    from toolgrammar.core.machine.machine import Step
    from toolgrammar.core.state.driver import Driver

_FENCE = late(r"```\w{0,16}\s{1,64}\{")
_MEMBER = late(r'"(?:[^"\\\r\n]|\\.){1,64}"\s{0,64}:')
_FENCE_END = late(r"\s{0,64}(?P<fence>```)")
_FENCE_END_BEGUN = late(r"\s{0,64}`{0,2}\Z")
_BEGUN = late(
    r"(?:`{1,3}|```\w{1,16}|```\w{0,16}\s{1,64}"
    r'|"(?:(?:[^"\\\r\n]|\\.){0,64}\\?|(?:[^"\\\r\n]|\\.){1,64}"\s{0,64}))\Z'
)


def damaged_beginning(driver: Driver, start: int) -> Step | bool | None:
    """Finds the damaged beginning of the arguments' object at an index of the buffer.

    Returns:
        The step of the payload, if only the brace of the object is missing. True if a code fence
        before the object was dropped. False if more text is needed. None if no object begins
        here, or if another payload may stand here.
    """
    node, buffer = driver.node, driver.buffer
    objects = [step for step in node.payloads if step.terminal.name in JSON_LIKE]
    if not driver.called or driver.builder.strict or len(objects) != 1:
        return None
    # Where a string may stand as well, `"city": "Rome"}` need not be an object without its brace.
    if objects[0].leaf != "arguments" or len(objects) < len(node.payloads):
        return None
    # One backtick may be the first of three, and half a key the beginning of a member.
    if not driver.final and _BEGUN.match(buffer, start):
        return False
    if _MEMBER.match(buffer, start):
        return objects[0]
    if _FENCE.match(buffer, start) is None:
        return None
    driver.move_to(start)
    draft, before = driver.builder.draft, driver.builder.mended_before
    if not skip_fence(driver):
        return False
    # `skip_fence` marks the next call as repaired, but the fence stands inside the open one.
    if draft is not None:
        draft.mend()
        driver.builder.mend_next(mended=before)
    driver.payload.open_fence()
    return True


def read_fence_end(driver: Driver) -> bool:
    """Drops the fence that closes after a payload and ends the payload; False for more text."""
    buffer, position = driver.buffer, driver.position
    # The first backticks of a fence may be all that has come.
    if not driver.final and _FENCE_END_BEGUN.match(buffer, position):
        return False
    end = _FENCE_END.match(buffer, position)
    if end is not None:
        span = Span(driver.base + end.start("fence"), driver.base + end.end("fence"))
        message = "Found the end of a code fence round the arguments; left it out"
        driver.builder.report("around", "warning", message, span, edits=(Edit(span, ""),))
        position = end.end()
    driver.payload.close_fence()
    return leave(driver, position)


def open_implied(driver: Driver, start: int) -> None:
    """Has the scanner open the object whose brace is missing at an offset of the source."""
    scanner, out = driver.payload.scanner, list[str]()
    assert isinstance(scanner, JsonPayload)
    scanner.open_implied(start, out)
    scanned_of(driver.builder).take("".join(out))

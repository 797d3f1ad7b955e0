"""Passes over what stands where the arguments of a call should, so that it costs no other call."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolgrammar.core.roles import JSON_LIKE
from toolgrammar.values.patterns import blanks, late
from toolgrammar.values.spans import Span

if TYPE_CHECKING:
    from toolgrammar.core.driver import Driver
    from toolgrammar.core.machine import Node
    from toolgrammar.core.steps import Step

_REACH: Final = 1024
"""Characters in which the markup behind the arguments is looked for."""
_BRACKET_OR_STRING = late(r'[{}\[\]]|"(?:[^"\\]|\\.)*"')
_DISTINCTIVE: Final = 5
"""Characters of markup that stands for itself."""


def pass_unreadable(driver: Driver, start: int) -> bool | None:
    """Goes on behind what is no object, where the arguments of a call have to begin.

    Returns:
        False where more text tells; None where something else is to be done.
    """
    builder, buffer, draft = driver.builder, driver.buffer, driver.builder.draft
    certain = driver.island < 0 or builder.group is not None
    payloads = driver.node.payloads
    if not (certain and driver.called) or draft is None or builder.strict or len(payloads) != 1:
        return None
    step = payloads[0]
    if step.terminal.name not in JSON_LIKE or step.leaf != "arguments":
        return None
    node = step.node
    if not driver.final and len(buffer) - start < _REACH and node.beginnings.match(buffer, start):
        return False
    end = start if node.token.match(buffer, start) else _end(driver, node, start)
    if end is None:
        return False if not driver.final and len(buffer) - start < _REACH else None
    place, stop = driver.base + start, driver.base + len(buffer[:end].rstrip())
    draft.arguments_start, draft.arguments_end = place, max(place, stop)
    draft.error = "Found no object where the arguments should be"
    builder.report("malformed-arguments", "error", draft.error, Span(place, max(place, stop)))
    if driver.island >= 0:
        driver.commit()
    driver.position, driver.last_end = end, max(place, stop)
    driver.pass_over(step)
    return True


def _end(driver: Driver, node: Node, start: int) -> int | None:
    """Gives where markup stands that can only come behind the arguments; None where none does."""
    patterns = (node.token, node.repairs.pattern, driver.start_node.opener)
    found = [
        match.start()
        for pattern in patterns
        for match in pattern.finditer(driver.buffer, start, start + _REACH)
        if len(match.group().strip()) >= _DISTINCTIVE
    ]
    bracket = _bracket(driver.buffer[start : start + _REACH])
    if bracket >= 0 and node.token.match(driver.buffer, start + bracket):
        found.append(start + bracket)
    return blanks.match(driver.buffer, min(found)).end() if found else None


def _bracket(text: str) -> int:
    """Gives where the first bracket closes that a text does not open; -1 where none does."""
    depth = 0
    for part in _BRACKET_OR_STRING.finditer(text):
        depth += (part[0] in "{[") - (part[0] in "}]")
        if depth < 0:
            return part.start()
    return -1


def holds_arguments(driver: Driver, step: Step, start: int) -> bool:
    """Whether a string stands where an object should: it may hold the arguments as JSON."""
    certain = driver.island < 0 or driver.builder.group is not None
    is_text = driver.buffer[start : start + 1] == '"' and step.terminal.name in JSON_LIKE
    return certain and is_text and driver.called and step.leaf == "arguments"

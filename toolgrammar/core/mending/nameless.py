"""Reports calls of a section that end before their name, whose text is left out.

Example: in `[{"name": "f", "arguments": {}}, {"id": "a` the text ends in a second call, and nothing
tells which tool it calls.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolgrammar.core.machine.repairs import repairs_of
from toolgrammar.values.spans import Span

if TYPE_CHECKING:
    from toolgrammar.core.state.driver import Driver

_BETWEEN: Final = " \t\r\n,;"
"""The characters between the calls of a section."""


def report_cut_nameless(driver: Driver) -> None:
    """Reports a call of a section in which the text ends before its name."""
    end = driver.base + len(driver.buffer)
    if _has_begun(driver, end):
        message = "Found the end of the text before the name of a call; what came of it is left out"
        driver.builder.report("truncated", "error", message, Span(min(driver.unit, end), end))


def report_broken_nameless(driver: Driver) -> None:
    """Reports a call of a section that text which does not fit breaks off before its name."""
    end = driver.base + driver.position
    if _has_begun(driver, end):
        message = (
            "Found text that fits no call, before the name of one; what came of it is left out"
        )
        driver.builder.report("malformed-call", "error", message, Span(driver.unit, end))


def _has_begun(driver: Driver, end: int) -> bool:
    """Whether a call without a name stands in a section up to an offset."""
    if driver.builder.group is None or driver.builder.has_draft:
        return False
    path = repairs_of(driver.node).to_end
    could_close = path and not any("call" in step.before + step.after for step in path)
    could_close = could_close and driver.unit < driver.last_end  # no token of a call was read
    return not could_close and bool(driver.builder.source.slice(driver.unit, end).strip(_BETWEEN))

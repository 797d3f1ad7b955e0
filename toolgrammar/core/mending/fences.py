r"""Drops the fence of a code block that a model puts round a call, behind its opener.

Example: in `<tool_call>\n```json\n{"name": "f", …}\n```\n</tool_call>` the fence is no part of the call.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgrammar.core.message.reports import report_edit
from toolgrammar.values.patterns import late
from toolgrammar.values.spans import Span

if TYPE_CHECKING:
    from toolgrammar.core.state.driver import Driver

_FENCE = late(r"\s{0,64}(?P<fence>```\w{0,16})[ \t]{0,16}(?:\r?\n)?")
_FENCE_BEGINNINGS = late(r"\s{0,64}(?:`{1,2}|```\w{0,16}[ \t]{0,16}\r?)?\Z")


def skip_fence(driver: Driver) -> bool | None:
    """Drops a code fence after an opener; False if more text is needed, None if there is none."""
    start = driver.position
    if not driver.final and _FENCE_BEGINNINGS.match(driver.buffer, start):
        return False
    match = _FENCE.match(driver.buffer, start)
    if match is None:
        return None
    span = Span(*(driver.base + place for place in match.span("fence")))
    message = "Found a code fence round the call; left it out"
    report_edit(driver.builder, "around", message, span, "")
    driver.builder.mend()
    driver.move_to(match.end())
    return True

"""Passes over a call in Python whose arguments can't be read, so that it costs no other call."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolgrammar.core import call_ends
from toolgrammar.core.mismatch import mismatch
from toolgrammar.values.patterns import blanks, late
from toolgrammar.values.spans import Span

if TYPE_CHECKING:
    from toolgrammar.core.driver import Driver

_REACH: Final = 512
"""Characters in which the end of the call is looked for."""
_PART = late(
    r"""'(?:[^'\\\r\n]|\\.)*'|"(?:[^"\\\r\n]|\\.)*"|(?P<open>[(\[{])|(?P<close>[)\]}])|(?P<odd>['"])"""
)
_CLOSERS: Final = {"(": ")", "[": "]", "{": "}"}


def pass_bad_call(driver: Driver) -> bool:
    """Goes on behind a call that failed, where it ends soon; False for more text."""
    buffer, start = driver.buffer, driver.position
    end = _end_of_call(buffer[start : start + _REACH], driver.open_brackets)
    step = driver.step
    assert step is not None
    is_open = not driver.final and len(buffer) - start < _REACH
    if end == 0 and is_open:
        return False
    place = start + end
    closer = step.node.token.match(buffer, place - 1) if end > 0 else None
    closing = step.node.steps.get(closer.lastgroup or "") if closer is not None else None
    if closing is not None:
        node = closing.node
        is_blank = blanks.match(buffer, place).end() == len(buffer)
        if not driver.final and (is_blank or node.beginnings.match(buffer, place)):
            return False
        if node.token.match(buffer, place):
            _end(driver, start, place)
            driver.node, driver.previous = node, closing
            driver.to_tokens()
            return True
    return mismatch(driver, in_payload=True)


def _end(driver: Driver, start: int, end: int) -> None:
    """Ends the call, which goes to an index."""
    builder, place = driver.builder, driver.base + end
    draft = builder.draft
    driver.position, driver.last_end = end, place
    driver.unit, driver.called, driver.back = -1, False, None
    if draft is None:
        return
    builder.report(
        "malformed-call",
        "error",
        "Found arguments that the format does not take; left the rest of the call out",
        Span(driver.base + start, place),
        hint="the calls beside it are read",
    )
    draft.truncated = True
    if not draft.given_out and draft.error is None:
        draft.error = "the call could not be read"
    call_ends.end(builder, draft, place)
    driver.behind = builder.last_name


def _end_of_call(text: str, depth: int) -> int:
    """Gives where the call ends; 0 where it does not show yet, -1 where nobody can tell.

    Args:
        text: what follows in the arguments.
        depth: how many brackets are open in them, with their own.
    """
    due: list[str] = []
    for part in _PART.finditer(text):
        mark = part.group()
        if part["odd"]:
            return -1 if "\n" in text[part.start() :] else 0
        if part["open"]:
            due.append(_CLOSERS[mark])
        elif part["close"]:
            if due:
                if due.pop() != mark:
                    return -1
                continue
            depth -= 1
            if depth == 0:
                return part.end() if mark == ")" else -1
    return 0

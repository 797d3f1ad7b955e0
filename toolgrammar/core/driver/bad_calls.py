"""Skips a call in Python whose arguments can't be read, so that the calls after it are still read.

Example: of `[f(a=1, ?), g(b=2)]` the call of `f` is unreadable, and that of `g` is read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolgrammar.core.calls import call_ends
from toolgrammar.core.driver.mismatch import mismatch
from toolgrammar.values.patterns import blanks, late
from toolgrammar.values.spans import Span

if TYPE_CHECKING:
    from toolgrammar.core.machine.machine import Node, Step
    from toolgrammar.core.state.driver import Driver

_REACH: Final = 512
"""The number of characters in which the end of the call is searched."""
_PART = late(
    r"""'(?:[^'\\\r\n]|\\.)*'|"(?:[^"\\\r\n]|\\.)*"|(?P<open>[(\[{])|(?P<close>[)\]}])|(?P<odd>['"])"""
)
_LONGEST_NAME: Final = 256
_LINE = late(r"\n[ \t]*(?P<name>[^\W\d][\w.]*|)\Z")
"""The beginning of a line at the end of a text, with the name that may stand there."""
_CALL = late(r"[^\W\d][\w.]{0,255}\(")
_LEFT_OUT: Final = "Found arguments that the format does not take; left the rest of the call out"
_CLOSERS: Final = {"(": ")", "[": "]", "{": "}"}


def pass_bad_call(driver: Driver) -> bool:
    """Skips the rest of a call that failed, if its end is near; False if more text is needed."""
    buffer, start = driver.buffer, driver.position
    end = _end_of_call(buffer[start : start + _REACH], driver.payload.open_brackets)
    step = driver.payload.current
    is_open = not driver.final and len(buffer) - start < _REACH
    # A bracket may never close, so a stream waits for a bounded number of characters only.
    if end == 0 and is_open:
        return False
    place = start + end
    # The index before the end is that of the `)`, which the node behind the arguments takes.
    closer = step.node.token.match(buffer, place - 1) if end > 0 else None
    closing = step.node.steps.get(closer.lastgroup or "") if closer is not None else None
    if closing is not None:
        # The bracket may stand in prose: it closes the call only where the grammar takes what
        # follows, a comma, the list's closer or text.
        node = closing.node
        is_blank = blanks.match(buffer, place).end() == len(buffer)
        if not driver.final and (is_blank or node.beginnings.match(buffer, place)):
            return False
        if node.token.match(buffer, place):
            _end(driver, start, place)
            driver.follow(closing)
            driver.stand_on(node)
            driver.to_tokens()
            return True
    # No bracket closes the call: `f(a=1` in one line, and `g(b=2)` in the next.
    elif end == 0 and _next_call_begins(driver, step):
        return True
    return mismatch(driver, in_payload=True)


def _next_call_begins(driver: Driver, step: Step) -> bool:
    """Ends a call without a closer if the next call begins the line; returns whether it did."""
    builder = driver.builder
    # The name of the next call may have been read as that of an argument. The buffer then begins
    # after the name, so it is taken from the source.
    end = driver.base + driver.position
    before = builder.source.slice(end - _LONGEST_NAME, end)
    line = _LINE.search(before)
    if line is None:
        return False
    text = line["name"] + driver.buffer[driver.position :]
    closing = next((each for each in step.node.steps.values() if each.terminal.text == ")"), None)
    call = _CALL.match(text)
    if closing is None or call is None or not closing.node.token.match(text):
        return False
    # The next call has to be whole, and what follows it has to fit the format: a quote there shows
    # that it may stand in a string that ended too early.
    length = _end_of_call(text[call.end() : len(line["name"]) + _REACH], 1)
    behind = blanks.match(text, call.end() + length).end()
    if length <= 0 or not (behind == len(text) or _ends_or_goes_on(closing.node, text, behind)):
        return False
    driver.stand_before(text, end - len(line["name"]))
    message = "Found the next call where `)` should close the arguments; the call ends before it"
    _end(driver, driver.position, driver.position, message)
    driver.follow(closing)
    driver.to_tokens()
    return True


def _ends_or_goes_on(node: Node, text: str, place: int) -> bool:
    """Whether the closer of the section, or another call, stands at an index after a call."""
    token = node.token.match(text, place)
    if token is None:
        return False
    return (
        # Any word may be the name of a call, so a name counts only with its bracket: `search(`.
        node.steps[token.lastgroup or ""].kind == "literal" or _CALL.match(text, place) is not None
    )


def _end(driver: Driver, start: int, end: int, message: str = _LEFT_OUT) -> None:
    """Ends the call at an index of the buffer, and reports the text from `start` up to there."""
    builder, place = driver.builder, driver.base + end
    draft = builder.draft
    driver.pass_to(end)
    driver.leave_call()
    driver.forget_way_back()
    if draft is None:
        return
    span, hint = Span(driver.base + start, place), "the calls beside it are read"
    builder.report("malformed-call", "error", message, span, hint=hint)
    draft.cut()
    # A closer was found, so the call is unreadable and not truncated.
    draft.fail(draft.error or draft.refused or "the call could not be read")
    call_ends.end(builder, draft, place)
    driver.note_call_ended()


def _end_of_call(text: str, depth: int) -> int:
    """Returns the index after the call; 0 if more text is needed, -1 if the end is ambiguous.

    Args:
        text: the rest of the arguments, from the place where they can't be read.
        depth: the number of open brackets, the one around the arguments included.
    """
    # The closers of the brackets that open in this text, the innermost last.
    due: list[str] = []
    for part in _PART.finditer(text):
        mark = part.group()
        # A string of Python ends with its line, so one that is open at a line break never closes.
        if part["odd"]:
            return -1 if "\n" in text[part.start() :] else 0
        if part["open"]:
            due.append(_CLOSERS[mark])
        elif part["close"]:
            if due:
                # `f(x=[1)` leaves no way to tell which bracket is wrong.
                if due.pop() != mark:
                    return -1
                continue
            depth -= 1
            if depth == 0:
                # A `]` in the place of the call's `)` may be the list's closer.
                return part.end() if mark == ")" else -1
    return 0

"""Checks the law of trust: the status, doubts, errors and `ok` of a result agree."""

from collections.abc import Sequence
from typing import Any

from toolgrammar.parsing.whole import parse
from toolgrammar.testing.breaches import broken, same
from toolgrammar.testing.cases import Case
from toolgrammar.testing.readings import read
from toolgrammar.values.calls import ParseResult, ToolCall
from toolgrammar.values.codes import CODES, LOSSES, OF_MESSAGES
from toolgrammar.values.diagnostics import Diagnostic
from toolgrammar.values.events import CallEnd, Problem


def trust(case: Case) -> None:
    """Checks that `executable`, `status`, `doubts`, `error`, `ok` and severities agree.

    - A call is executable if and only if it is complete or repaired, without error and doubts.
    - Each doubt, and each call that is cut or can't be read, has an error that reports it; a
      stream gives one out before the call ends.
    - An error is about a call that is not executable, or about the message: something was lost
      beside the calls, or calls stand before the closer of a thought that nothing opened.
    - `ok` says that there is no error.

    Whole, cut by the server, and strict alike; but with strict reading, whatever the grammar
    does not take is an error.
    """
    options: dict[str, Any] = {"format": case.format, "tools": case.tools, "prefix": case.prefix}
    # The three ways in which a caller can read a whole message.
    readings = {
        "whole": parse(case.text, **options),
        "finish_reason=length": parse(case.text, finish_reason="length", **options),
        "strict": parse(case.text, strict=True, **options),
    }
    for place, result in readings.items():
        _holds_in(case, place, result)
    # What the stream has emitted up to a call's end, as a caller sees it who runs calls at once.
    errors: set[str] = set()
    for event in read(case, list(case.text)).events:
        if isinstance(event, Problem) and event.diagnostic.severity == "error":
            errors.add(event.diagnostic.code)
        elif isinstance(event, CallEnd) and not event.call.executable:
            where = f"streamed, errors before the end of {event.call}"
            if not errors.issuperset(event.call.doubts) or not errors:
                broken("trust", case, where, event.call.doubts or "at least one", errors)


def _holds_in(case: Case, place: str, result: ParseResult) -> None:
    errors = [each for each in result.diagnostics if each.severity == "error"]
    same("trust", case, f"ok, {place}", not errors, result.ok)
    starts = [call.span.start for call in result.calls]
    # Up to the next call, not to its own end: an error about a missing closer stands after it.
    ends = [*starts[1:], *([len(result.source) + 1] if starts else [])]
    for call, end in zip(result.calls, ends, strict=True):
        own = [each for each in errors if call.span.start <= each.span.start <= end]
        _holds_of(case, place, call, own)
    for error in errors:
        # Strict reading refuses what it could mend, and each refusal is an error.
        is_of_message = error.code in OF_MESSAGES or place == "strict"
        is_told = _is_of_a_call(error, result.calls, ends) or _is_of_a_loss(error, errors, ends)
        if not is_of_message and not is_told:
            broken("trust", case, f"{place}, {error}", "a call that does not run", result.calls)


def _holds_of(case: Case, place: str, call: ToolCall, errors: Sequence[Diagnostic]) -> None:
    """Checks the law for one call, with the errors from its beginning to that of the next call."""
    is_sound = call.status in ("complete", "repaired") and call.error is None and not call.doubts
    same("trust", case, f"executable, {place}: {call}", is_sound, call.executable)
    # `error` is for calls that can't be read; a doubt or a cut has diagnostics.
    same("trust", case, f"error, {place}: {call}", call.status == "unreadable", bool(call.error))
    codes = {each.code for each in errors}
    if not codes.issuperset(call.doubts) or not (codes or call.executable):
        wanted = call.doubts or "at least one"
        broken("trust", case, f"errors of {call}, {place}", wanted, codes)
    unknown = [code for code in call.doubts if code not in CODES]
    same("trust", case, f"doubts of no known code, {place}", [], unknown)
    # Strictly inside: on the edges, an error may be about what stands beside the call.
    inside = [each for each in errors if call.span.start < each.span.start < call.span.end]
    if call.executable and inside:
        broken("trust", case, f"errors inside of {call}, {place}", "none", inside)


def _is_of_a_call(error: Diagnostic, calls: Sequence[ToolCall], ends: Sequence[int]) -> bool:
    return any(
        call.span.start <= error.span.start <= end and not call.executable
        for call, end in zip(calls, ends, strict=True)
    )


def _is_of_a_loss(error: Diagnostic, errors: Sequence[Diagnostic], ends: Sequence[int]) -> bool:
    """Whether an error was in what was lost.

    The loss is reported behind the error, before the next call, or spans what was left out.
    """
    place = error.span.start
    end = min((each for each in ends if each > place), default=place)
    return any(
        place <= each.span.start < end or each.span.start <= place < each.span.end
        for each in errors
        if each.code in LOSSES
    )

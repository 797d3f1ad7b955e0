"""The steps of one call, written once for sync and async code.

`pipeline` is a generator that neither waits nor calls anything of the user but the trace sinks: it
yields effects (call this tool within that time, ask this hook, sleep) and is sent their outcomes.
A driver carries them out, in a thread or in an event loop. So both do the same, in the same order:

1. resolve the tool by its name
2. refuse what is cut off or doubtful, then read the arguments
3. look into the cache; a hit ends the call
4. ask the input guardrails
5. ask for approval
6. invoke the tool, and retry it after a temporary failure
7. normalise the value
8. ask the output guardrails
9. store the value

A step that fails raises `Failure`, which ends the call with an error as its value.
"""

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING, Any, Final

from toolgrammar.engine.approvals import Approval, ApprovalRequest
from toolgrammar.engine.arguments.readers import BadArguments
from toolgrammar.engine.outcomes.failures import TIMEOUT, Failure, text_of
from toolgrammar.engine.outcomes.normal_form import Unserialisable
from toolgrammar.engine.running.effects import Ask, Sleep

if TYPE_CHECKING:
    from collections.abc import Callable

    from toolgrammar.engine.arguments.reading import Reading
    from toolgrammar.engine.outcomes.results import ToolResult
    from toolgrammar.engine.running.effects import Outcome, Steps
    from toolgrammar.engine.running.run import Bound, Hook, Run

_NOTHING: Final = object()
"""Means that there is no cached value, since None is a possible value."""


def pipeline(run: Run) -> Steps[ToolResult]:
    """Returns the steps of a call, which return its result."""
    return _traced(run) if run.traced else _result(run)


def _traced(run: Run) -> Steps[ToolResult]:
    """Records the start and the end of a run, which always come in pairs."""
    run.record("call.start")
    try:
        result = yield from _result(run)
    # `BaseException`: an interrupt or an abort ends the run, and its events pair all the same.
    except BaseException as error:
        run.give_up(error)
        raise
    details: dict[str, Any] = {
        "ok": result.ok,
        "cached": result.cached,
        "attempts": result.attempts,
        "seconds": result.seconds,
    }
    if result.error is not None:
        details |= {"code": result.error.code, "message": result.error.message}
    run.record_end(details)
    return result


def _result(run: Run) -> Steps[ToolResult]:
    try:
        bound = _resolve(run)
        reading = _read(run, bound)
        settings = run.settings
        key = settings.cache_key(run.own)
        # The own copy of the call makes the key: the caller can't change it between look-up and
        # store.
        if key is not None:
            # A hit runs nothing, and only values that passed the output guardrails were stored.
            found = yield from _look_up(run, key, bound.timeout)
            if found is not _NOTHING:
                return run.result(found, cached=True)
            # A cache that hung is not asked to store, either: that would cost the same wait again.
            if run.cache_hangs:
                key = None
        # Skipped in the common case that there are neither guardrails nor sinks.
        if run.traced or settings.input_guardrails:
            yield from _guard_input(run, reading)
        if bound.asks:
            yield from _approve(run, reading)
        value = yield from _invoke(run, bound, reading)
        if run.traced or settings.output_guardrails:
            yield from _guard_output(run, value)
        if key is not None:
            yield from _store(run, key, value, bound)
        return run.result(value)
    except Failure as failure:
        return run.result(error=failure.error)
    except Exception as error:  # foreign objects may raise anything, which becomes an error value
        return run.result(error=run.error("tool_error", text_of(error)))


def _resolve(run: Run) -> Bound:
    if run.traced:
        run.record("tool.resolve.start")
    bound = run.settings.tools.get(run.call.name)
    if bound is None:
        raise run.failed("tool.resolve.fail", "unknown_tool", run.call.name)
    if run.traced:
        about = {"tool_description": bound.description} if bound.description else None
        run.record("tool.resolve.ok", about)
    return bound


def _read(run: Run, bound: Bound) -> Reading:
    call, settings = run.call, run.settings
    # The refusal is a sentence for the model, more precise than the codes below.
    if run.refusal is not None:
        raise run.failed("call.refuse", "refused", run.refusal)
    # A cut call is refused first: nobody should be asked to approve half a call.
    if call.status == "truncated" and not settings.allow_truncated:
        raise run.failed("call.refuse", "refused", "truncated")
    # An approver sees the call with its doubts, so an approval settles them.
    asked = bound.asks and settings.approval is not None
    if call.doubts and not settings.allow_doubtful and not asked:
        raise run.failed("call.refuse", "refused", "doubtful")
    if run.traced:
        run.record("args.parse.start")
    # After the refusals: a call that is both cut and unreadable is `refused`, not `bad_args`.
    if call.error is not None or call.status == "unreadable":
        raise run.failed("args.parse.fail", "bad_args", call.error or "unreadable")
    try:
        reading = bound.reader.read(run.keep())
    except BadArguments as error:
        raise run.failed("args.parse.fail", "bad_args", str(error)) from None
    if run.traced:
        details: dict[str, Any] = {"keys": sorted(map(str, reading.arguments))}
        if settings.trace_values:
            details["arguments"] = settings.policy.traced(reading.arguments)
        run.record("args.parse.ok", details)
    return reading


def _look_up(run: Run, key: tuple[str, str], timeout: float | None) -> Steps[Any]:
    """Returns the stored value; a cache that fails, or exceeds the tool's timeout, is a miss."""
    cache = run.settings.cache
    outcome = yield _asked(cache, cache.get, (key,), timeout)
    run.note_cache(hangs=outcome.timed_out)
    error = TimeoutError() if outcome.timed_out else outcome.error
    if error is None and outcome.value is not None:
        try:
            value = run.settings.policy.unpacked(outcome.value)
        except Exception as problem:  # text that is not JSON, or too deep
            error = problem
        else:
            if run.traced:
                run.record("cache.hit")
            return value
    if run.traced:
        if error is not None:
            # The type of the error only: a client's message may hold a URL with its password.
            run.record("cache.error", {"message": type(error).__name__})
        run.record("cache.miss")
    return _NOTHING


def _store(run: Run, key: tuple[str, str], value: Any, bound: Bound) -> Steps[None]:
    cache = run.settings.cache
    try:
        packed = run.settings.policy.packed(value)
    except Exception as error:
        # A result that can't be stored is still returned.
        outcome_error: BaseException | None = error
    else:
        outcome = yield _asked(cache, cache.set, (key, packed, bound.cache_ttl), bound.timeout)
        outcome_error = TimeoutError() if outcome.timed_out else outcome.error
    if not run.traced:
        return
    if outcome_error is None:
        run.record("cache.store")
    else:
        run.record("cache.error", {"message": type(outcome_error).__name__})


def _asked(
    cache: Any, function: Callable[..., Any], args: tuple[Any, ...], timeout: float | None
) -> Ask:
    """Returns the effect of calling a cache, with the cache's own time limit if it has one."""
    # `patience` is what the cache allows itself; a call never waits for it beyond its tool's
    # timeout.
    patience = getattr(cache, "patience", None)
    limit = min((each for each in (timeout, patience) if each is not None), default=None)
    # If there is a time limit, a cache without `blocking` is assumed to do I/O.
    blocks = getattr(cache, "blocking", limit is not None)
    return Ask(function, args, threaded=blocks is True, limit=limit)


def _guard_input(run: Run, reading: Reading) -> Steps[None]:
    if run.traced:
        run.record("guard.input.start")
    for hook in run.settings.input_guardrails:
        # Each guardrail gets a copy, so that changes of it do not reach the tool.
        data = reading.copy().arguments
        yield from _guard(run, hook, data, "guard.input.block")
    if run.traced:
        run.record("guard.input.ok")


def _guard_output(run: Run, value: Any) -> Steps[None]:
    if run.traced:
        run.record("guard.output.start")
    policy = run.settings.policy
    for hook in run.settings.output_guardrails:
        yield from _guard(run, hook, policy.copied(value), "guard.output.block")
    if run.traced:
        run.record("guard.output.ok")


def _guard(run: Run, hook: Hook, data: Any, event: str) -> Steps[None]:
    """Calls a guardrail; any exception of it, and any false value but None, blocks the call."""
    arguments = run.settings.policy.guard_arguments(run, data)
    outcome = yield Ask(hook.function, arguments)
    answer, error = outcome.value, outcome.error
    passes = False
    if error is None:
        try:
            # None, the result of a function without `return`, says nothing. Not `is False`: the
            # false of a comparison in numpy is another object.
            passes = answer is None or bool(answer)
        except Exception as problem:  # such as an array, of which nobody knows whether it is true
            error = problem
    if error is not None:
        raise run.failed(event, "guardrail", text_of(error), error=error)
    if not passes:
        raise run.failed(event, "guardrail", hook.name)


def _approve(run: Run, reading: Reading) -> Steps[None]:
    if run.traced:
        run.record("approval.start")
    hook = run.settings.approval
    # `Tool(approval=True)` in an engine without a hook: a call that needs an approval never runs.
    if hook is None:
        raise run.failed("approval.deny", "denied", "approval required")
    request = ApprovalRequest(run.call_copy(), reading.copy().arguments, run.key())
    outcome = yield Ask(hook.function, (request,), threaded=hook.threaded)
    refusal = _refusal(outcome, run.key())
    if refusal is not None:
        raise run.failed("approval.deny", "denied", refusal)
    if run.traced:
        run.record("approval.ok")


def _refusal(outcome: Outcome, digest: str) -> str | None:
    """Returns why the answer to an approval request refuses the call; None if it approves."""
    if outcome.error is not None:
        return f"approval failed: {type(outcome.error).__name__}"
    answer = outcome.value
    # `is True`: another true value, such as `"no"`, is not an approval.
    if answer is True:
        return None
    if not isinstance(answer, Approval) or answer.approved is not True:
        reason = answer.reason if isinstance(answer, Approval) else ""
        return str(reason) or "not approved"
    # An approval is only valid for the call and the arguments that were shown.
    return None if answer.digest == digest else "digest mismatch"


def _invoke(run: Run, bound: Bound, reading: Reading) -> Steps[Any]:
    """Returns the normalised value of the first attempt that gives one."""
    if run.traced:
        run.record("tool.invoke.start")
    while True:
        # A fresh effect for each attempt: its copy of the arguments may have been changed by the
        # last one.
        effect = run.invocation(bound, reading)
        run.count_attempt()
        outcome = yield effect
        if outcome.error is None and not outcome.timed_out:
            return _normal(run, outcome.value)
        delay = _delay(run, bound, outcome)
        if delay is None:
            raise _failed(run, outcome)
        if run.traced:
            message = _message(run, outcome)
            details = {"attempt": run.attempts, "delay": delay, "message": message}
            run.record("tool.invoke.retry", details, outcome.error)
        if delay > 0:
            yield Sleep(delay)


def _delay(run: Run, bound: Bound, outcome: Outcome) -> float | None:
    """Returns the seconds to wait before the next attempt; None if there is no next attempt."""
    retry, error = bound.retry, outcome.error
    # `timeouts` is asked instead of `on`: the tool raised nothing, and may still be at work.
    if outcome.timed_out:
        return retry.wait(run.attempts, TimeoutError()) if retry.timeouts else None
    # No `error` and no timeout can't be here; the check narrows the type.
    if error is None or isinstance(error, run.settings.policy.user_errors):
        return None
    return retry.delay(run.attempts, error)


def _message(run: Run, outcome: Outcome) -> str:
    if outcome.error is None:
        return TIMEOUT
    return run.error("tool_error", run.settings.policy.failure_text(outcome.error)).message


def _failed(run: Run, outcome: Outcome) -> Failure:
    """Returns the failure that ends the call after its last attempt."""
    details = {"attempt": run.attempts}
    error = outcome.error
    if error is None:
        return run.failed("tool.invoke.timeout", "tool_error", TIMEOUT, details)
    if isinstance(error, run.settings.policy.user_errors):
        return run.failed("tool.invoke.user_error", "user_error", text_of(error), details, error)
    text = run.settings.policy.failure_text(error)
    return run.failed("tool.invoke.fail", "tool_error", text, details, error)


def _normal(run: Run, value: Any) -> Any:
    settings = run.settings
    details: dict[str, Any] = {"attempt": run.attempts}
    try:
        plain = settings.policy.normal(run, value)
    except Unserialisable as error:
        message = f"unserialisable result: {error}"
        raise run.failed("tool.invoke.fail", "tool_error", message, details, error) from None
    if run.traced:
        details |= {"attempts": run.attempts, "seconds": monotonic() - run.started}
        if settings.trace_values:
            details["value"] = plain
        run.record("tool.invoke.ok", details)
    return plain

"""Performs the effects of a pipeline: one driver in the caller's thread, one in an event loop.

An `Invoke` of `get_weather` becomes a plain call, a call in a thread that is left at its limit,
or a coroutine in an event loop; each ends in an `Outcome`.
"""

from __future__ import annotations

import asyncio
import threading
from contextlib import suppress
from functools import partial
from time import monotonic, sleep
from types import AsyncGeneratorType
from typing import TYPE_CHECKING, Any, Protocol

from toolgrammar.engine.running.background import Running
from toolgrammar.engine.running.effects import Ask, Invoke, Outcome, Sleep
from toolgrammar.engine.running.threads import Errand, called, is_later

if TYPE_CHECKING:
    from collections.abc import Callable

    from toolgrammar.engine.running.effects import Effect, Steps, Value


_PATIENCE = 0.05
"""The least number of seconds for which a driver waits for a background task."""


class Aborted(BaseException):
    """Ends a call of an aborted plan; only the driver of the plan catches it."""


class Attempt(Protocol):
    """An attempt that can be told that it was abandoned: an event, or a background task."""

    def set(self) -> None:
        """Tells the attempt that it was abandoned."""


class Scope:
    """The state that the sync calls of one plan share: its abort, and the running attempts."""

    def __init__(self) -> None:
        self.aborted = threading.Event()
        """Set when the plan is aborted."""
        self._lock = threading.Lock()
        self._running: set[Attempt] = set()

    def enter(self, attempt: Attempt | None) -> None:
        """Registers a running attempt.

        Raises:
            Aborted: the plan was aborted.
        """
        with self._lock:
            # Checked under the lock that `abort` holds, so that `abort` misses no attempt.
            if self.aborted.is_set():
                raise Aborted
            if attempt is not None:
                self._running.add(attempt)

    def leave(self, attempt: Attempt | None) -> None:
        """Removes an attempt that has ended."""
        if attempt is not None:
            with self._lock:
                self._running.discard(attempt)

    def abort(self) -> None:
        """Prevents new attempts, and tells the running ones that they were abandoned."""
        with self._lock:
            self.aborted.set()
            for attempt in self._running:
                attempt.set()


# -------------------------------------------------------------------------------------- sync


def drive_sync(steps: Steps[Value], scope: Scope | None = None) -> Value:
    """Carries out the steps in this thread and returns what they return."""
    try:
        effect = next(steps)
        while True:
            try:
                outcome = _perform(effect, scope)
            # Raised inside the generator, so that the events of the call end. The pipeline makes a
            # result of it or raises it again, out of this loop.
            except BaseException as error:
                # A cancellation too: the steps close what they have open, and then let it go on.
                effect = steps.throw(error)
            else:
                effect = steps.send(outcome)
    except StopIteration as end:
        value: Value = end.value
        return value


def _perform(effect: Effect, scope: Scope | None) -> Outcome:
    if type(effect) is Invoke:
        if scope is None:
            return _invoke(effect, None)
        scope.enter(effect.cancelled)
        try:
            return _invoke(effect, scope)
        finally:
            scope.leave(effect.cancelled)
    if type(effect) is Ask:
        return _ask(effect, scope)
    assert type(effect) is Sleep
    # Without a plan there is no abort, so the sleep need not be interruptible.
    if scope is None:
        sleep(effect.seconds)
    # In a plan the sleep ends on an abort, so that a retry in half a minute does not delay it.
    elif scope.aborted.wait(effect.seconds):
        raise Aborted
    return Outcome()


def _ask(effect: Ask, scope: Scope | None) -> Outcome:
    # Only caches have a limit, and only one that does I/O needs a thread to be left at it.
    limit = effect.limit if effect.threaded else None
    work = partial(called, effect.function, effect.args, {})
    outcome = work() if limit is None else _in_thread(work, limit, None)
    # A hook may be `async def`, or an ordinary function that returns a coroutine; only its value
    # tells.
    if is_later(outcome.value):
        return _in_background(partial(_same, outcome.value), effect.limit, None, scope)
    return outcome


def _invoke(effect: Invoke, scope: Scope | None) -> Outcome:
    if effect.around is None:
        return _called(effect, scope)
    with effect.around():
        return _called(effect, scope)


def _called(effect: Invoke, scope: Scope | None) -> Outcome:
    limit, cancelled, function = effect.limit, effect.cancelled, effect.target.function
    # Called in the loop, not here: a function declared async may be an ordinary one that creates a
    # future or a task, which needs the running loop.
    if effect.target.is_async:
        begin = partial(function, *effect.args, **effect.kwargs)
        return _in_background(begin, limit, cancelled, scope)
    rest = None
    if limit is None:
        outcome = called(function, effect.args, effect.kwargs, cancelled)
    else:
        started = monotonic()
        work = partial(called, function, effect.args, effect.kwargs, cancelled)
        outcome = _in_thread(work, limit, cancelled)
        # One limit for both halves of an attempt: the call, and the awaiting of what it returned.
        rest = max(0.0, limit - (monotonic() - started))
    if is_later(outcome.value):
        return _in_background(partial(_same, outcome.value), rest, cancelled, scope)
    return outcome


def _in_thread(
    work: Callable[[], Outcome], limit: float, cancelled: threading.Event | None
) -> Outcome:
    """Does some work in a thread, and returns at the limit whatever it does."""
    done = threading.Event()
    outcome: Outcome | None = None
    try:
        errand = Errand(work, done.set, "tool")
    except RuntimeError as error:  # the system has no thread left
        return Outcome(None, error)
    try:
        # Python's own bound, some 292 years: to wait for longer, or for ever, raises.
        done.wait(min(limit, threading.TIMEOUT_MAX))
    finally:
        # `leave` decides between the outcome and the limit, not `wait`: an outcome that came at the
        # last moment is either taken here or disposed of there, never both.
        outcome = errand.leave()
        if outcome is None and cancelled is not None:
            cancelled.set()
    return _raised(outcome or Outcome(timed_out=True))


def _in_background(
    begin: Callable[[], Any],
    limit: float | None,
    cancelled: threading.Event | None,
    scope: Scope | None,
) -> Outcome:
    """Awaits the result of `begin` in the background loop."""
    running = Running(_carried(begin, limit, cancelled))
    try:
        if scope is not None:
            scope.enter(running)
        while not running.wait(None if limit is None else max(limit, _PATIENCE)):
            # The loop strikes the limit itself, unless a tool in it never gives way.
            # A loop that answers will end the task, and is waited for again.
            if running.give_up():
                if cancelled is not None:
                    cancelled.set()
                return Outcome(timed_out=True)
    # An interrupt from the keyboard, or an abort: the task is cancelled, not left behind.
    except BaseException:
        running.set()
        raise
    finally:
        if scope is not None:
            scope.leave(running)
    return _raised(running.outcome())


def _same(value: Any) -> Any:
    return value


def _raised(outcome: Outcome) -> Outcome:
    """Returns an outcome; raises its error if that is a `BaseException` but not an `Exception`."""
    # `KeyboardInterrupt`, `SystemExit` and the like go to the caller; they are no errors of a tool.
    if outcome.error is not None and not isinstance(outcome.error, Exception):
        raise outcome.error
    return outcome


async def _carried(
    begin: Callable[[], Any], limit: float | None, cancelled: threading.Event | None
) -> Outcome:
    """Returns a `BaseException` as an outcome, so that the same object leaves the loop."""
    try:
        return await _awaited(begin, limit, cancelled)
    except asyncio.CancelledError as error:
        # `cancelling()` counts the requests from outside. Without one, the tool itself raised the
        # error, which goes to the caller like any other.
        task = asyncio.current_task()
        if task is not None and task.cancelling():
            raise  # an interrupt from the keyboard: the loop's runner makes it one again
        return Outcome(None, error)
    except BaseException as error:
        return Outcome(None, error)


# ------------------------------------------------------------------------------------- async


def cancellations() -> int:
    """Returns how often the current task has been asked to end."""
    task = asyncio.current_task()
    return 0 if task is None else task.cancelling()


async def drive_async(steps: Steps[Value], before: int | None = None) -> Value:
    """Carries out the steps in the running loop and returns what they return.

    Args:
        steps: the steps.
        before: what `cancellations` returned before the first step; None: it is asked now.
    """
    before = cancellations() if before is None else before
    try:
        effect = next(steps)
        while True:
            try:
                outcome = await _perform_async(effect, before)
            except BaseException as error:
                effect = steps.throw(error)
            else:
                effect = steps.send(outcome)
    except StopIteration as end:
        value: Value = end.value
        return value


async def _perform_async(effect: Effect, before: int) -> Outcome:
    # A hook or a tool may have caught the cancellation: nothing more begins all the same.
    if cancellations() > before:
        raise asyncio.CancelledError
    if type(effect) is Invoke:
        return await _invoke_async(effect)
    if type(effect) is Ask:
        work = partial(called, effect.function, effect.args, {})
        # `threaded` is for hooks and caches that block. Any other one is called in the loop.
        outcome = await _in_thread_async(work, effect.limit, None) if effect.threaded else work()
        if is_later(outcome.value):
            return await _awaited(partial(_same, outcome.value), effect.limit, None)
        return outcome
    assert type(effect) is Sleep
    await asyncio.sleep(effect.seconds)
    return Outcome()


async def _invoke_async(effect: Invoke) -> Outcome:
    if effect.around is None:
        return await _called_async(effect)
    with effect.around():
        return await _called_async(effect)


async def _called_async(effect: Invoke) -> Outcome:
    limit, cancelled, function = effect.limit, effect.cancelled, effect.target.function
    if effect.target.is_async:
        return await _awaited(partial(function, *effect.args, **effect.kwargs), limit, cancelled)
    started = monotonic()
    work = partial(called, function, effect.args, effect.kwargs, cancelled)
    # By default a sync tool gets a thread, since it would block the loop.
    outcome = await _in_thread_async(work, limit, cancelled) if effect.threaded else work()
    if is_later(outcome.value):
        rest = None if limit is None else max(0.0, limit - (monotonic() - started))
        return await _awaited(partial(_same, outcome.value), rest, cancelled)
    return outcome


async def _in_thread_async(
    work: Callable[[], Outcome], limit: float | None, cancelled: threading.Event | None
) -> Outcome:
    """Does some work in a thread, and returns at the limit whatever it does."""
    loop = asyncio.get_running_loop()
    done: asyncio.Future[None] = loop.create_future()

    def tell() -> None:
        if not done.done():
            done.set_result(None)

    def over() -> None:
        # A loop that was closed under its tasks takes nothing more.
        with suppress(RuntimeError):
            loop.call_soon_threadsafe(tell)

    try:
        errand = Errand(work, over, "tool")
    except RuntimeError as error:  # the system has no thread left
        return Outcome(None, error)
    try:
        # `wait` neither raises at the limit nor cancels the future: what came in time, `leave`
        # tells.
        await asyncio.wait([done], timeout=limit)
    finally:
        outcome = errand.leave()
        if outcome is None and cancelled is not None:
            cancelled.set()
    return _raised(outcome or Outcome(timed_out=True))


async def _awaited(
    begin: Callable[[], Any], limit: float | None, cancelled: threading.Event | None
) -> Outcome:
    """Awaits the result of `begin` in the running loop; the limit cancels it."""
    try:
        async with asyncio.timeout(limit) as timer:
            # Inside the `try`: an ordinary function that is declared async may raise here.
            outcome = Outcome(await _finished(begin()))
    except Exception as error:
        # A `TimeoutError` of the timer lands here, too; `expired` below tells it from one of the
        # tool.
        outcome = Outcome(None, error)
    except BaseException:
        if cancelled is not None:
            cancelled.set()
        raise
    if timer.expired():
        # The tool may have answered the cancellation with a value or an error of its own.
        if cancelled is not None:
            cancelled.set()
        return Outcome(timed_out=True)
    return outcome


async def _finished(value: Any) -> Any:
    """Returns the result of an awaitable; a generator of any kind is collected to a list."""
    if isinstance(value, AsyncGeneratorType):
        return await _collected(value)
    if is_later(value):
        value = await value
    # `called` collects an ordinary generator that a coroutine returned.
    outcome = called(partial(_same, value), (), {})
    if outcome.error is not None:
        raise outcome.error
    return outcome.value


async def _collected(generator: AsyncGeneratorType[Any, Any]) -> list[Any]:
    try:
        return [item async for item in generator]
    finally:
        # Closed in any case: a generator that was cancelled half way holds connections and files.
        await generator.aclose()

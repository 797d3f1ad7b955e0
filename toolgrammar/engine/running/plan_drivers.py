"""Runs plans: one driver uses threads, one uses tasks. Both start ready calls in order."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from queue import SimpleQueue
from time import monotonic
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, TypeAlias
from uuid import uuid4

from toolgrammar.engine.outcomes.results import ToolResult
from toolgrammar.engine.running.drivers import (
    Scope,
    cancellations,
    drive_async,
    drive_sync,
)
from toolgrammar.engine.running.pipeline import pipeline
from toolgrammar.engine.running.plan import OnFailure, Plan
from toolgrammar.engine.running.run import Run, Settings
from toolgrammar.engine.running.threads import start_thread
from toolgrammar.values.calls import ToolCall

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterable, Iterable, Iterator, Mapping
    from types import TracebackType
    from typing import Self

NONE_REFUSED: Final[Mapping[int, str]] = MappingProxyType({})


class Planned:
    """One run of a plan: makes the runs of its calls, and records its start and end."""

    def __init__(
        self,
        settings: Settings,
        *,
        asynchronous: bool,
        on_failure: OnFailure,
        concurrency: int | None,
        refusals: Mapping[int, str] = NONE_REFUSED,
    ) -> None:
        self._settings = settings
        self._asynchronous = asynchronous
        # Grows while a message is streamed: a refusal is added before its call.
        self._refusals = refusals
        self._id = uuid4().hex if settings.recorder is not None else ""
        self._started = monotonic()
        self._live: dict[int, Run] = {}
        self.concurrency = concurrency
        self._failure: Exception | None = None
        self.plan = Plan(
            on_failure=on_failure,
            concurrency=concurrency,
            skip=self._skipped,
            same=settings.cache_key,
        )

    def __enter__(self) -> Self:
        self._record("plan.start", {})
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None
    ) -> None:
        if error is not None:
            # Runs that are still working in threads end here, and record no more events.
            for run in list(self._live.values()):
                run.give_up(error)
        # Counted by results, since calls of an aborted plan have none.
        results = self.plan.results.values()
        self._record(
            "plan.end",
            {
                "ok": error is None and all(result.ok for result in results),
                "calls": len(self.plan.calls),
                "seconds": monotonic() - self._started,
            },
        )

    def begun(self, index: int) -> Run:
        """Returns the run of a call that starts now."""
        run = self._run(index)
        # Runs are only stored for their events.
        if run.traced:
            self._live[index] = run
        return run

    def finish(self, index: int, result: ToolResult) -> None:
        """Records the result of a call."""
        self._live.pop(index, None)
        self.plan.finish(index, result)

    def break_off(self, failure: Exception) -> None:
        """Starts no more calls, since the stream of the calls has failed."""
        self._failure = failure
        self.plan.break_off()

    def raise_failure(self) -> None:
        """Raises what the stream of the calls raised, if it has failed."""
        if self._failure is not None:
            raise self._failure

    def _run(self, index: int) -> Run:
        place = {"plan": self._id, "index": index} if self._settings.recorder is not None else None
        return Run(
            self._settings,
            self.plan.calls[index],
            asynchronous=self._asynchronous,
            results=self.plan.dependencies(index),
            place=place,
            index=index,
            refusal=self._refusals.get(index),
        )

    def _skipped(self, index: int, reason: str) -> ToolResult:
        return self._run(index).skipped(reason)

    def _record(self, name: str, details: dict[str, Any]) -> None:
        recorder = self._settings.recorder
        if recorder is not None:
            recorder.emit(name, {"plan": self._id, **details})


# -------------------------------------------------------------------------------------- sync


def run_plan_sync(planned: Planned, coming: Iterable[ToolCall] | None) -> Iterator[ToolResult]:
    """Runs a plan to its end and yields the results as they come.

    Args:
        planned: the plan; complete, unless calls are still coming.
        coming: the calls that are still being read, in a thread of their own; or None. What it
            raises is raised after the results of the calls that had begun.
    """
    plan = planned.plan
    scope = Scope()
    inbox: SimpleQueue[_Message] = SimpleQueue()
    # With one call at a time and all calls known, no thread is needed.
    inline = coming is None and planned.concurrency == 1
    try:
        if coming is not None:
            _read_in_thread(coming, inbox, scope)
        while True:
            while (index := plan.take()) is not None:
                run = planned.begun(index)
                if inline:
                    planned.finish(index, drive_sync(pipeline(run), scope))
                else:
                    _start(run, index, inbox, scope)
            # Results, also of skipped calls, are yielded before waiting.
            yield from plan.fresh()
            if plan.done:
                planned.raise_failure()
                return
            # The calls that just ended may have made others ready.
            if inline:
                continue
            # Only this thread changes the plan: workers put messages into the inbox.
            _take(inbox.get(), planned)
    finally:
        # If calls are still running here, the plan was interrupted.
        scope.abort()


_Message: TypeAlias = "tuple[int | None, ToolResult | ToolCall | BaseException | None]"
"""A result with its index; or without one the next call, None after the last, or an exception."""


def _take(message: _Message, planned: Planned) -> None:
    index, content = message
    # The calls that have begun may have had effects, so their results are not lost with the stream.
    if index is None and isinstance(content, Exception):
        planned.break_off(content)
        return
    if isinstance(content, BaseException):
        raise content
    if isinstance(content, ToolResult) and index is not None:
        planned.finish(index, content)
    elif isinstance(content, ToolCall):
        planned.plan.add(content)
    else:
        planned.plan.complete()


def _start(run: Run, index: int, inbox: SimpleQueue[_Message], scope: Scope) -> None:
    def work() -> None:
        content: ToolResult | BaseException
        try:
            content = drive_sync(pipeline(run), scope)
        except BaseException as error:  # the plan's driver raises it
            content = error
        inbox.put((index, content))

    try:
        start_thread(work, f"call-{index}")
    except RuntimeError:  # no thread can be started, so the caller's thread runs the call
        work()


def _read_in_thread(coming: Iterable[ToolCall], inbox: SimpleQueue[_Message], scope: Scope) -> None:
    """Reads a stream in a thread, so that waiting for the model delays no result."""

    def work() -> None:
        try:
            for call in coming:
                # Tested between events only: a blocking read of the model's stream can't be
                # interrupted.
                if scope.aborted.is_set():
                    return
                inbox.put((None, call))
            inbox.put((None, None))
        except BaseException as error:  # the plan's driver raises it
            inbox.put((None, error))

    start_thread(work, "stream")


# ------------------------------------------------------------------------------------- async


async def run_plan_async(
    planned: Planned, coming: AsyncIterable[ToolCall] | None
) -> AsyncGenerator[ToolResult, None]:
    """Runs a plan to its end and yields the results as they come.

    Args:
        planned: the plan; complete, unless calls are still coming.
        coming: the calls that are still being read, in a task of their own; or None. What it
            raises is raised after the results of the calls that had begun.
    """
    plan = planned.plan
    inbox: asyncio.Queue[_Message] = asyncio.Queue()
    tasks: set[asyncio.Task[Any]] = set()
    inline = coming is None and planned.concurrency == 1
    before = cancellations()
    try:
        if coming is not None:
            # The reader's message has no index, as `_take` knows it: None for the last, or its
            # exception.
            _spawn(_read(coming, inbox), None, inbox, tasks)
        while True:
            while (index := plan.take()) is not None:
                run = planned.begun(index)
                if inline:
                    planned.finish(index, await drive_async(pipeline(run), before))
                else:
                    _spawn(_carried(run), index, inbox, tasks)
            for result in plan.fresh():
                yield result
            if plan.done:
                planned.raise_failure()
                return
            if inline:
                continue
            _take(await inbox.get(), planned)
    finally:
        await _ended(tasks)


async def _carried(run: Run) -> ToolResult | BaseException:
    """Returns a `BaseException` instead of raising it, which would stop the whole loop."""
    try:
        return await drive_async(pipeline(run))
    except BaseException as error:
        return error


async def _read(
    coming: AsyncIterable[ToolCall], inbox: asyncio.Queue[_Message]
) -> BaseException | None:
    try:
        async for call in coming:
            inbox.put_nowait((None, call))
    except BaseException as error:
        return error
    return None


def _spawn(
    coroutine: Any,
    index: int | None,
    inbox: asyncio.Queue[_Message],
    tasks: set[asyncio.Task[Any]],
) -> None:
    """Starts a task and puts its outcome into the inbox, even if it is cancelled before it begins."""

    def over(task: asyncio.Task[Any]) -> None:
        tasks.discard(task)
        # `result` can't raise here: `_carried` and `_read` return what they caught.
        content = asyncio.CancelledError() if task.cancelled() else task.result()
        inbox.put_nowait((index, content))

    task = asyncio.get_running_loop().create_task(coroutine)
    tasks.add(task)
    task.add_done_callback(over)


async def _ended(tasks: set[asyncio.Task[Any]]) -> None:
    """Cancels the tasks that are left and waits until they have ended."""
    waiting = set(tasks)
    for task in waiting:
        task.cancel()
    while waiting:
        # A second cancellation changes nothing: no task is left behind.
        with suppress(asyncio.CancelledError):
            _, waiting = await asyncio.wait(waiting)

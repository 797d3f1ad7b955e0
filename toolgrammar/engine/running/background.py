"""Runs the coroutines of sync drivers in one event loop that lives as long as the process.

Tools share the loop, since a client that was made in one loop (such as an HTTP connection pool) does
not work in another. The loop has its own thread, so that it also works if the caller's thread runs
an event loop, as in a notebook.
"""

from __future__ import annotations

import asyncio
import atexit
import os
import threading
from contextvars import ContextVar, copy_context
from typing import TYPE_CHECKING, Any, Final

from toolgrammar.engine.running.effects import Outcome

if TYPE_CHECKING:
    from collections.abc import Coroutine

_ALIVE_WITHIN: Final = 1.0
"""The seconds within which a loop answers, unless a tool blocks it."""

_depth: ContextVar[int] = ContextVar("toolgrammar_depth", default=0)
"""In how many of these loops the current code is nested: a tool may run calls itself."""
_loops: dict[int, tuple[asyncio.AbstractEventLoop, threading.Thread]] = {}
_lock = threading.Lock()


class Running:
    """A coroutine that runs in the background."""

    def __init__(self, coroutine: Coroutine[Any, Any, Outcome]) -> None:
        self._depth = _depth.get()
        # Each depth has its own loop: a tool that runs calls itself does so from inside a loop, and
        # would deadlock if it waited for the same loop.
        self._loop = _loop_at(self._depth)
        self._done = threading.Event()
        self._task: asyncio.Task[Outcome] | None = None
        # The depth is raised in a copy of the context, which only the coroutine sees.
        context = copy_context()
        context.run(_depth.set, self._depth + 1)
        self._loop.call_soon_threadsafe(self._begin, coroutine, context=context)

    def _begin(self, coroutine: Coroutine[Any, Any, Outcome]) -> None:
        # Called in the loop's own thread, since `create_task` is not thread-safe.
        self._task = self._loop.create_task(coroutine)
        self._task.add_done_callback(lambda _: self._done.set())

    def wait(self, seconds: float | None) -> bool:
        """Waits for the end of the coroutine, at most `seconds`; returns whether it has ended."""
        # `Event.wait` raises OverflowError above TIMEOUT_MAX, and a limit may be any float.
        return self._done.wait(None if seconds is None else min(seconds, threading.TIMEOUT_MAX))

    def outcome(self) -> Outcome:
        """Returns the outcome of the coroutine, after it has ended."""
        assert self._task is not None
        # Cancelled by an abort of the plan, or at the end of the process.
        if self._task.cancelled():
            return Outcome(None, asyncio.CancelledError())
        return self._task.result()

    def set(self) -> None:
        """Cancels the coroutine; named like `Event.set`, which abandons a thread."""
        self._loop.call_soon_threadsafe(self._cancel)

    def _cancel(self) -> None:
        if self._task is not None:
            self._task.cancel()

    def give_up(self) -> bool:
        """Abandons the loop if a tool blocks it; returns whether one does."""
        # A callback is sent to the loop: if it runs, the loop is not blocked.
        alive = threading.Event()
        self._loop.call_soon_threadsafe(alive.set)
        if alive.wait(_ALIVE_WITHIN):
            return False
        with _lock:
            known = _loops.get(self._depth)
            # Another waiter may have abandoned the same loop already, and replaced it.
            if known is not None and known[0] is self._loop:
                del _loops[self._depth]
        return True


def _loop_at(depth: int) -> asyncio.AbstractEventLoop:
    """Returns the loop for a depth of nesting; starts it on first use."""
    with _lock:
        if depth not in _loops:
            loop = asyncio.new_event_loop()
            name = f"toolgrammar-loop-{depth}"
            # A daemon thread, so that a tool that blocks does not delay the interpreter's exit.
            thread = threading.Thread(target=_run, args=(loop,), name=name, daemon=True)
            _loops[depth] = loop, thread
            thread.start()
        return _loops[depth][0]


def _run(loop: asyncio.AbstractEventLoop) -> None:
    """Runs in the thread, from its start to its end."""
    try:
        loop.run_forever()
        # Reached from `_stop` only. The tasks are cancelled, so that `finally` blocks of tools run.
        tasks = asyncio.all_tasks(loop)
        for task in tasks:
            task.cancel()
        if tasks:
            loop.run_until_complete(asyncio.wait(tasks))
    finally:
        loop.close()


@atexit.register
def _stop() -> None:
    """Stops all loops at the interpreter's exit; a loop that a tool blocks is abandoned."""
    for loop, _ in _loops.values():
        # All loops are stopped before a thread is joined, so that they end at the same time.
        loop.call_soon_threadsafe(loop.stop)
    for _, thread in _loops.values():
        thread.join(_ALIVE_WITHIN)


def _forget() -> None:
    """Resets the module in a forked child process, which has none of the threads."""
    global _lock  # noqa: PLW0603 - whoever held it is not here
    _lock = threading.Lock()
    _loops.clear()


# Windows has no fork.
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)

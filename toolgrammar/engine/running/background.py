"""Runs what sync drivers have to await, in one event loop that lives as long as the process.

A loop for each tool would not do: a client that was made in one (an HTTP connection pool, say) is
dead in the next. And in a thread of its own it also runs where a loop runs in the caller's thread,
in a notebook for instance.
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
"""Seconds in which a loop answers that no tool holds up."""

_depth: ContextVar[int] = ContextVar("toolgrammar_depth", default=0)
"""How many of these loops the current code is inside of: a tool may run calls itself."""
_loops: dict[int, tuple[asyncio.AbstractEventLoop, threading.Thread]] = {}
_lock = threading.Lock()


class Running:
    """A coroutine that runs in the background."""

    def __init__(self, coroutine: Coroutine[Any, Any, Outcome]) -> None:
        self._depth = _depth.get()
        # The loop is that of the sender's depth: a tool that runs calls itself does so from inside
        # a loop, and waiting there for the same loop would wait for ever. Its calls get the next
        # loop.
        self._loop = _loop_at(self._depth)
        self._done = threading.Event()
        self._task: asyncio.Task[Outcome] | None = None
        # The depth is raised in a copy of the context, so that only code inside the coroutine sees
        # it.
        context = copy_context()
        context.run(_depth.set, self._depth + 1)
        self._loop.call_soon_threadsafe(self._begin, coroutine, context=context)

    def _begin(self, coroutine: Coroutine[Any, Any, Outcome]) -> None:
        # Made in the loop's own thread: `create_task` is not safe from any other.
        self._task = self._loop.create_task(coroutine)
        self._task.add_done_callback(lambda _: self._done.set())

    def wait(self, seconds: float | None) -> bool:
        """Waits until it is over, so long at most; tells whether it is."""
        # `Event.wait` raises OverflowError for more than TIMEOUT_MAX, and a limit may be any float.
        return self._done.wait(None if seconds is None else min(seconds, threading.TIMEOUT_MAX))

    def outcome(self) -> Outcome:
        """Returns what became of it, when it is over."""
        assert self._task is not None
        # An abort of the plan, or the end of the process, cancelled it.
        if self._task.cancelled():
            return Outcome(None, asyncio.CancelledError())
        return self._task.result()

    def set(self) -> None:
        """Cancels it; named as what tells a thread that nobody waits for it."""
        self._loop.call_soon_threadsafe(self._cancel)

    def _cancel(self) -> None:
        if self._task is not None:
            self._task.cancel()

    def give_up(self) -> bool:
        """Leaves the loop to itself if a tool holds it up; tells whether one does."""
        # The question goes through the loop itself: an answer proves that it still turns its
        # callbacks.
        alive = threading.Event()
        self._loop.call_soon_threadsafe(alive.set)
        if alive.wait(_ALIVE_WITHIN):
            return False
        with _lock:
            known = _loops.get(self._depth)
            # Another waiter may have given up the same loop already, and a new one may be in its
            # place.
            if known is not None and known[0] is self._loop:
                del _loops[self._depth]
        return True


def _loop_at(depth: int) -> asyncio.AbstractEventLoop:
    """Returns the loop for code that is inside of so many others; starts it at its first use."""
    with _lock:
        if depth not in _loops:
            loop = asyncio.new_event_loop()
            name = f"toolgrammar-loop-{depth}"
            # A daemon thread: a tool that never gives way must not hold up the interpreter's exit.
            thread = threading.Thread(target=_run, args=(loop,), name=name, daemon=True)
            _loops[depth] = loop, thread
            thread.start()
        return _loops[depth][0]


def _run(loop: asyncio.AbstractEventLoop) -> None:
    """Runs in the thread, from its start to its end."""
    try:
        loop.run_forever()
        # Reached from `_stop` only. The tasks get their cancellation, so that `finally` blocks of
        # tools run.
        tasks = asyncio.all_tasks(loop)
        for task in tasks:
            task.cancel()
        if tasks:
            loop.run_until_complete(asyncio.wait(tasks))
    finally:
        loop.close()


@atexit.register
def _stop() -> None:
    """Ends what is still at work when the interpreter does; what never gives way is left behind."""
    for loop, _ in _loops.values():
        # All loops are stopped before any thread is joined, so that the waits run side by side.
        loop.call_soon_threadsafe(loop.stop)
    for _, thread in _loops.values():
        thread.join(_ALIVE_WITHIN)


def _forget() -> None:
    """Starts anew in a child process, which has none of the threads."""
    global _lock  # noqa: PLW0603 - whoever held it is not here
    _lock = threading.Lock()
    _loops.clear()


# Windows has no fork.
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)

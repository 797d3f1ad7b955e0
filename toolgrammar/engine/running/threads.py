"""Runs a function in a new daemon thread that can be abandoned.

A thread pool would not work: a hung tool must delay neither the next one nor the interpreter's exit.
"""

from __future__ import annotations

import inspect
import threading
from contextvars import copy_context
from types import AsyncGeneratorType, GeneratorType
from typing import TYPE_CHECKING, Any, Final

from toolgrammar.engine.running.effects import Outcome

if TYPE_CHECKING:
    from collections.abc import Callable
    from threading import Event

PLAIN: Final = frozenset({type(None), bool, int, float, str, bytes, dict, list, tuple})
"""Types of values that need no look: neither generators nor awaitables."""


def called(
    function: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    cancelled: Event | None = None,
) -> Outcome:
    """Calls a function and returns its outcome; a generator is collected to a list."""
    try:
        value = function(*args, **kwargs)
        # Only real generators: a string, a list or a file is iterable, too, and is a value by
        # itself.
        if type(value) is GeneratorType:
            value = _collected(value, cancelled)
    except Exception as error:
        return Outcome(None, error)
    return Outcome(value)


def _collected(generator: GeneratorType[Any, Any, Any], cancelled: Event | None) -> list[Any]:
    if cancelled is None:
        return list(generator)
    items = []
    for item in generator:
        items.append(item)
        # Looked at after each item; a generator that never yields again can't be stopped.
        if cancelled.is_set():  # abandoned: an endless generator ends here
            generator.close()
            break
    return items


def is_later(value: Any) -> bool:
    """Whether a value has to be awaited or collected in an event loop."""
    # The common types first: `isawaitable` looks up an abstract class, which is slow.
    if type(value) in PLAIN:
        return False
    return isinstance(value, AsyncGeneratorType) or inspect.isawaitable(value)


def dispose(value: Any) -> None:
    """Closes a coroutine that will not be awaited."""
    # A coroutine that is dropped unawaited makes Python print a warning; other awaitables do not.
    if inspect.iscoroutine(value):
        value.close()


class Errand:
    """A piece of work in its own thread, for which the sender may stop waiting."""

    def __init__(self, work: Callable[[], Outcome], done: Callable[[], None], name: str) -> None:
        """Starts the thread.

        Args:
            work: what is done there.
            done: called from the thread when the outcome is there.
            name: part of the thread's name.
        """
        self._work = work
        self._done = done
        self._lock = threading.Lock()
        self._outcome: Outcome | None = None
        self._left = False
        start_thread(self._run, name)

    def _run(self) -> None:
        try:
            outcome = self._work()
        except BaseException as error:  # the sender raises it
            outcome = Outcome(None, error)
        # The lock decides: either the sender has left and the outcome is dropped here, or the
        # sender will find it.
        with self._lock:
            if not self._left:
                self._outcome = outcome
                self._done()
                return
        dispose(outcome.value)

    def leave(self) -> Outcome | None:
        """Stops waiting; returns the outcome, or None if there is none yet: it will be dropped."""
        with self._lock:
            self._left = True
            return self._outcome


def start_thread(function: Callable[[], object], name: str) -> None:
    """Runs a function in a daemon thread, in a copy of the current context."""
    # Context variables of the caller (a request's id, a current span) hold in the thread, too.
    run = copy_context().run
    threading.Thread(target=run, args=(function,), name=f"toolgrammar-{name}", daemon=True).start()

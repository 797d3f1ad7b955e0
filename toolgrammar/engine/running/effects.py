"""Defines the effects that a pipeline asks its driver to perform, and their outcomes.

`Invoke(get_weather, …, limit=5.0)` is answered by `Outcome("21 °C")`, by `Outcome(None, error)`,
or by `Outcome(timed_out=True)`.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

if TYPE_CHECKING:
    from contextlib import AbstractContextManager
    from threading import Event

    from toolgrammar.engine.arguments.signature import Target

Value = TypeVar("Value")


class Invoke:
    """Calls a tool, within a time limit."""

    __slots__ = ("args", "around", "cancelled", "kwargs", "limit", "target", "threaded")

    def __init__(
        self,
        target: Target,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        limit: float | None,
        cancelled: Event | None,
        *,
        threaded: bool,
        around: Callable[[], AbstractContextManager[object]] | None = None,
    ) -> None:
        self.target = target
        """The function, and whether it runs in an event loop."""
        self.args = args
        self.kwargs = kwargs
        self.limit = limit
        """The seconds it may take, or None."""
        self.cancelled = cancelled
        """Set when the attempt was abandoned."""
        self.threaded = threaded
        """Whether the async driver calls a sync function in a thread of its own."""
        self.around = around
        """Returns a context manager to enter while the tool runs; None if there is none."""


class Ask:
    """Calls a hook: a guardrail, an approval, a method of a cache."""

    __slots__ = ("args", "function", "limit", "threaded")

    def __init__(
        self,
        function: Callable[..., Any],
        args: tuple[Any, ...],
        *,
        threaded: bool = False,
        limit: float | None = None,
    ) -> None:
        self.function = function
        self.args = args
        self.threaded = threaded
        """Whether the async driver calls it in a thread of its own, and the sync one where it has
        a limit."""
        self.limit = limit
        """The seconds it may take, or None; one that is neither threaded nor awaited has none."""


@dataclass(frozen=True, slots=True)
class Sleep:
    """Waits before a retry."""

    seconds: float
    """The seconds to wait."""


class Outcome:
    """The outcome of an effect: a value, an exception, or a timeout."""

    __slots__ = ("error", "timed_out", "value")

    def __init__(
        self,
        value: Any = None,
        error: BaseException | None = None,
        *,
        timed_out: bool = False,
    ) -> None:
        self.value = value
        self.error = error
        self.timed_out = timed_out
        """Whether the time limit was exceeded: there is then neither a value nor an error."""


Effect: TypeAlias = Invoke | Ask | Sleep
Steps: TypeAlias = Generator[Effect, Outcome, Value]
"""Yields effects, is sent their outcomes, returns a value."""

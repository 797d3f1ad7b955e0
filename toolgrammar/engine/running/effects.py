"""What a pipeline asks its driver to do, and what it is told about the outcome.

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
    """Call a tool, within its time."""

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
        """Set when nobody waits for it any more."""
        self.threaded = threaded
        """Whether the async driver calls a sync function in a thread of its own."""
        self.around = around
        """Returns what is entered while the tool runs, or None."""


class Ask:
    """Call a hook: a guardrail, an approval, a method of a cache."""

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
    """Wait."""

    seconds: float
    """How long."""


class Outcome:
    """What became of an effect: a value, an exception, or the end of its time."""

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
        """Whether the limit struck: then there is neither value nor error."""


Effect: TypeAlias = Invoke | Ask | Sleep
Steps: TypeAlias = Generator[Effect, Outcome, Value]
"""Yields effects, is sent their outcomes, returns a value."""

"""What a tool may learn about its call.

Of `def pay(amount: int, context: ToolContext)` the model is told `amount` alone; the engine fills
in the context.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from threading import Event
from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from toolgrammar.engine.outcomes.results import ToolResult
    from toolgrammar.values.calls import ToolCall

NO_RESULTS: Mapping[str, ToolResult] = MappingProxyType({})
"""The results of the dependencies of a call that has none."""


@dataclass(frozen=True, slots=True)
class ToolContext:
    """One attempt to run a call; given to the parameter that is annotated with this class."""

    call: ToolCall
    """The call, the very object that was given."""
    attempt: int = 1
    """Which attempt it is, from 1."""
    idempotency_key: str = ""
    """The same for every attempt and for a re-run of the same call: tools that pay or post hand
    it on."""
    deadline: float | None = None
    """When the attempt's time is over, in the seconds of `time.monotonic`; None: never."""
    cancelled: Event = field(default_factory=Event)
    """Set when nobody waits for this attempt any more."""
    results: Mapping[str, ToolResult] = field(default_factory=lambda: NO_RESULTS)
    """The results of the calls that this one depends on, by their ids."""

"""Defines the context of a call, which the engine passes to tools that ask for it.

For `def pay(amount: int, context: ToolContext)` the schema has `amount` only; the engine passes the
context.
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
"""The results of a call without dependencies."""


@dataclass(frozen=True, slots=True)
class ToolContext:
    """One attempt to run a call; passed to the parameter that is annotated with this class."""

    call: ToolCall
    """The call, the object that was passed in, not a copy."""
    attempt: int = 1
    """Which attempt it is, from 1."""
    idempotency_key: str = ""
    """A key that is equal for every attempt and every re-run of the same call: tools that pay or post
    pass it to their service."""
    deadline: float | None = None
    """When the attempt times out, on the clock `time.monotonic`; None: never."""
    cancelled: Event = field(default_factory=Event)
    """Set when the attempt was abandoned: nothing waits for it any more."""
    results: Mapping[str, ToolResult] = field(default_factory=lambda: NO_RESULTS)
    """The results of the calls that this one depends on, by their ids."""

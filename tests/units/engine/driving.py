"""Both drivers behind one interface, so that each test runs them alike."""

from __future__ import annotations

import asyncio
import re
from typing import TYPE_CHECKING, Any

import pytest

from toolgrammar import ParseResult, ToolCall

if TYPE_CHECKING:
    from collections.abc import Iterable

    from toolgrammar.engine import Engine, MemorySink, ToolResult


class Sync:
    """The sync methods of an engine."""

    name = "sync"

    def run(self, engine: Engine, call: ToolCall) -> ToolResult:
        return engine.run_sync(call)

    def run_all(self, engine: Engine, calls: ParseResult | Iterable[ToolCall]) -> list[ToolResult]:
        return engine.run_all_sync(calls)

    def stream(self, engine: Engine, events: Iterable[Any]) -> list[ToolResult]:
        return list(engine.stream_sync(events))


class Async:
    """The async methods, each in a loop of its own."""

    name = "async"

    def run(self, engine: Engine, call: ToolCall) -> ToolResult:
        return asyncio.run(engine.run_async(call))

    def run_all(self, engine: Engine, calls: ParseResult | Iterable[ToolCall]) -> list[ToolResult]:
        return asyncio.run(engine.run_all_async(calls))

    def stream(self, engine: Engine, events: Iterable[Any]) -> list[ToolResult]:
        async def collected() -> list[ToolResult]:
            return [result async for result in engine.stream_async(events)]

        return asyncio.run(collected())


Driver = Sync | Async

both = pytest.mark.parametrize("driver", [Sync(), Async()], ids=lambda driver: driver.name)


def call(name: str, /, *, id: str | None = None, **arguments: Any) -> ToolCall:
    """A call by hand."""
    return ToolCall(name, arguments, id=id)


def written(name: str, raw: str = "{}", **arguments: Any) -> ToolCall:
    """A call as the parser gives it: with the raw text that is the key of the cache."""
    return ToolCall(name, arguments, raw_arguments=raw)


def outcome(result: ToolResult) -> tuple[Any, str, bool, int]:
    """All of a result but its call and its time."""
    return result.value, str(result.error or ""), result.cached, result.attempts


def names(sink: MemorySink) -> list[str]:
    """The names of the events, in order."""
    return [event.name for event in sink.events]


def without_addresses(value: object) -> str:
    """Names a parameter alike in every process: tests that run in parallel are told by it."""
    if isinstance(value, set | frozenset):
        value = sorted(value, key=repr)
    return re.sub(r" at 0x[0-9a-fA-F]+", "", repr(value))

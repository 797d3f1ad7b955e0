"""Runs the calls of a message: each once, in order, with the same results from sync and async code.

In: Python functions as tools, and a `ParseResult` or the events of a stream. Out: a `ToolResult` for
each call, with its value or its error. Begin with `engine` (the public class) and `running/pipeline`
(the steps of a call). May import `parsing`, `salvage` and everything below them. The public names
are imported on first use.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from toolgrammar.engine.approvals import Approval, ApprovalRequest, Approvals, digest
    from toolgrammar.engine.caches import Cache, MemoryCache, RedisCache, SQLiteCache
    from toolgrammar.engine.context import ToolContext
    from toolgrammar.engine.engine import Engine
    from toolgrammar.engine.outcomes.failures import (
        GuardrailError,
        RetryableError,
        ToolError,
        UserError,
    )
    from toolgrammar.engine.outcomes.messages import to_messages
    from toolgrammar.engine.outcomes.results import ToolFailed, ToolResult
    from toolgrammar.engine.running.retries import Retry
    from toolgrammar.engine.tool import Tool
    from toolgrammar.engine.tracing.redaction import Redactor
    from toolgrammar.engine.tracing.traces import (
        JsonLinesSink,
        MemorySink,
        OpenTelemetrySink,
        TraceEvent,
        TraceSink,
    )

__all__ = [
    "Approval",
    "ApprovalRequest",
    "Approvals",
    "Cache",
    "Engine",
    "GuardrailError",
    "JsonLinesSink",
    "MemoryCache",
    "MemorySink",
    "OpenTelemetrySink",
    "Redactor",
    "RedisCache",
    "Retry",
    "RetryableError",
    "SQLiteCache",
    "Tool",
    "ToolContext",
    "ToolError",
    "ToolFailed",
    "ToolResult",
    "TraceEvent",
    "TraceSink",
    "UserError",
    "digest",
    "to_messages",
]

_NAMES_OF_MODULES = {
    "approvals": ("Approval", "ApprovalRequest", "Approvals", "digest"),
    "caches": ("Cache", "MemoryCache", "RedisCache", "SQLiteCache"),
    "context": ("ToolContext",),
    "engine": ("Engine",),
    "outcomes.failures": ("GuardrailError", "RetryableError", "ToolError", "UserError"),
    "outcomes.messages": ("to_messages",),
    "tracing.redaction": ("Redactor",),
    "outcomes.results": ("ToolFailed", "ToolResult"),
    "running.retries": ("Retry",),
    "tool": ("Tool",),
    "tracing.traces": (
        "JsonLinesSink",
        "MemorySink",
        "OpenTelemetrySink",
        "TraceEvent",
        "TraceSink",
    ),
}
_MODULE_OF = {name: module for module, names in _NAMES_OF_MODULES.items() for name in names}


def __getattr__(name: str) -> object:
    """Imports a public name on first use and keeps it."""
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value: object = getattr(import_module(f"{__name__}.{_MODULE_OF[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """Lists the public names, imported or not."""
    return sorted({*globals(), *__all__})

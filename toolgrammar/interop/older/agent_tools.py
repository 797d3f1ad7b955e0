"""Provides the interface of an older engine, `run_sync(*, ctx, name, raw)`, on this pipeline.

`run_sync(ctx=None, name="get_weather", raw='{"city": "Oslo"}')` makes of a tool's `"21 °C"` the
result `ToolResult("get_weather", True, "21 °C", attempts=1)`.
"""

from __future__ import annotations

import asyncio
import copy
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from types import AsyncGeneratorType, GeneratorType
from typing import TYPE_CHECKING, Any, ClassVar

from toolgrammar.engine.arguments.readers import BadArguments
from toolgrammar.engine.arguments.reading import Reading
from toolgrammar.engine.arguments.signature import Target
from toolgrammar.engine.caches import MemoryCache
from toolgrammar.engine.extras import require_extra
from toolgrammar.engine.outcomes.failures import RetryableError, UserError, text_of
from toolgrammar.engine.running.drivers import drive_async, drive_sync
from toolgrammar.engine.running.pipeline import pipeline
from toolgrammar.engine.running.policy import Policy, Running
from toolgrammar.engine.running.retries import Retry
from toolgrammar.engine.running.run import Bound, Hook, Run, Settings
from toolgrammar.engine.running.threads import dispose, is_later
from toolgrammar.engine.tool import checked_timeout
from toolgrammar.engine.tracing.recorder import Recorder, sinks_of
from toolgrammar.tools.json_texts import read_json
from toolgrammar.values.calls import ToolCall

if TYPE_CHECKING:
    from toolgrammar.engine.outcomes import results
    from toolgrammar.engine.tracing.traces import TraceSink

__all__ = ["Engine", "Guard", "Tool", "ToolResult"]

Guard = Callable[[Any, str, Any], object]
"""Is called with the context, the tool's name, and arguments or output; what it raises blocks."""


@dataclass(frozen=True)
class Tool:
    """A function under a name; a parameter named `ctx` gets the context."""

    name: str
    """The name for the model."""
    fn: Callable[..., Any]
    """The function, sync or async, which gets the arguments by their names."""
    schema: Mapping[str, object] = field(default_factory=dict)
    """The type of each argument that is looked at: `int`, `bool` or `str`."""
    defaults: Mapping[str, Any] = field(default_factory=dict)
    """Values for absent arguments; they are looked at as given ones are."""


@dataclass(frozen=True)
class ToolResult:
    """The outcome of one call."""

    tool_name: str
    """The name that was called."""
    ok: bool
    """Whether there is an output."""
    output: Any = None
    """The output in normal form; None if the call failed."""
    error_message: str | None = None
    """`unknown_tool`, or a code, a colon and a message; None if the call is ok."""
    attempts: int = 0
    """The number of invocations that were started."""
    cached: bool = False
    """Whether the output comes from the cache."""


class Engine:
    """Runs one call after the other by name and raw arguments. Safe from any thread and loop."""

    def __init__(
        self,
        tools: Iterable[Tool],
        *,
        cache: bool = False,
        input_guards: Iterable[Guard] = (),
        output_guards: Iterable[Guard] = (),
        trace: TraceSink | Iterable[TraceSink] | None = None,
        max_retries: int = 0,
        async_timeout_s: float | None = None,
    ) -> None:
        """Sets up the engine.

        Args:
            tools: what can be called.
            cache: whether outputs are kept, by tool and exact raw arguments.
            input_guards: asked in order before the tool; they see the arguments with their types.
            output_guards: asked in order after it; they see the output in normal form.
            trace: takes the events.
            max_retries: how many attempts may follow one that raises `RetryableError`.
            async_timeout_s: the seconds of an attempt in async runs; None: no limit.

        Raises:
            ValueError: two tools have one name, or a number is out of its range.
            ImportError: pydantic is not installed.
        """
        require_extra()
        # No wait between attempts, as in the older engine.
        retry = Retry(max_retries=max_retries, initial=0)
        limit = checked_timeout(async_timeout_s)
        bound: dict[str, Bound] = {}
        for tool in tools:
            if tool.name in bound:
                raise ValueError(f"two tools are named {tool.name!r}")
            target = _ContextTarget.of(tool.fn)
            reader = _SchemaReader(tool.schema, tool.defaults)
            # Not declared async: what the function returns shows it, after the look for a running
            # loop.
            sync = replace(target, function=_outside_loops(tool.fn), is_async=False)
            bound[tool.name] = Bound(
                tool.name, reader, sync, target, retry, timeout=limit, cached=cache
            )
        sinks = sinks_of(trace)
        self._settings = Settings(
            tools=bound,
            policy=_OlderWays(),
            cache=MemoryCache() if cache else None,
            input_guardrails=tuple(map(_hook, input_guards)),
            output_guardrails=tuple(map(_hook, output_guards)),
            # Events are as in the older interface: nothing is redacted.
            recorder=Recorder(sinks, None) if sinks else None,
        )

    def run_sync(self, *, ctx: Any, name: str, raw: str) -> ToolResult:
        """Runs a call from sync code.

        Args:
            ctx: whatever guards and tools want to know; the engine does not look at it.
            name: the name of the tool.
            raw: the arguments as JSON text; blank for none.
        """
        return _shown(drive_sync(pipeline(self._run(ctx, name, raw, asynchronous=False))))

    async def run_async(self, *, ctx: Any, name: str, raw: str) -> ToolResult:
        """Runs a call from async code; a sync tool runs in the loop itself.

        Args:
            ctx: whatever guards and tools want to know; the engine does not look at it.
            name: the name of the tool.
            raw: the arguments as JSON text; blank for none.
        """
        return _shown(await drive_async(pipeline(self._run(ctx, name, raw, asynchronous=True))))

    def _run(self, ctx: Any, name: str, raw: str, *, asynchronous: bool) -> Run:
        if not isinstance(raw, str):
            raise TypeError(f"raw must be JSON text, got {type(raw).__name__}")
        # The reader takes the arguments from `raw`, so the call itself has none.
        call = ToolCall(name, raw_arguments=raw)
        return Run(self._settings, call, asynchronous=asynchronous, opaque=ctx)


def _shown(result: results.ToolResult) -> ToolResult:
    """Returns a result in the older shape."""
    error = result.error
    message = None if error is None else str(error)
    # The older interface has neither a colon nor the name of the tool there.
    if error is not None and error.code == "unknown_tool":
        message = error.code
    return ToolResult(
        result.call.name, result.ok, result.value, message, result.attempts, result.cached
    )


def _hook(guard: Guard) -> Hook:
    """Returns a guard as the pipeline asks it: what it returns does not matter."""

    def asked(ctx: Any, tool_name: str, data: Any) -> object:
        answer = guard(ctx, tool_name, data)
        # A guard with a `yield` returns a generator, of which nothing has run or would be run.
        if isinstance(answer, GeneratorType):
            raise TypeError("a guard that yields never runs")
        return _to_its_end(answer) if is_later(answer) else None

    return Hook(asked)


async def _to_its_end(answer: Any) -> None:
    """Runs what an async guard returned: one that yields is read to its end."""
    if isinstance(answer, AsyncGeneratorType):
        async for _ in answer:
            pass
    else:
        await answer


class _ContextTarget(Target):
    """A function whose parameter `ctx` gets the context, whatever the arguments say."""

    __slots__ = ()

    def bound(
        self, reading: Reading, context: Any, opaque: Any
    ) -> tuple[tuple[Any, ...], dict[str, Any]]:
        if "ctx" in self.signature.hints:
            reading.arguments["ctx"] = opaque
        return super().bound(reading, context, opaque)


def _outside_loops(function: Callable[..., Any]) -> Callable[..., Any]:
    """Returns a tool as sync runs call it: inside a running loop there is nothing to await it."""

    def call(*args: Any, **kwargs: Any) -> Any:
        value = function(*args, **kwargs)
        if is_later(value) and _loop_runs():
            # Else Python would warn of a coroutine that was never awaited.
            dispose(value)
            # The words of `asyncio.run` itself.
            raise RuntimeError("asyncio.run() cannot be called from a running event loop")
        return value

    return call


def _loop_runs() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


class _SchemaReader:
    """Reads raw arguments by a schema of three types."""

    def __init__(self, schema: Mapping[str, object], defaults: Mapping[str, Any]) -> None:
        self._schema = dict(schema)
        self._defaults = dict(defaults)

    def read(self, call: ToolCall) -> Reading:
        """Returns the arguments: defaults filled in, types looked at, others passed as they are."""
        # The defaults first, so that given arguments replace them. A copy: a tool may change them.
        arguments = {**copy.deepcopy(self._defaults), **_parsed(call.raw_arguments)}
        for key, kind in self._schema.items():
            if key in arguments:
                arguments[key] = _coerced(key, kind, arguments[key])
        return Reading(arguments)


def _parsed(raw: str) -> dict[str, Any]:
    if not raw.strip():
        return {}
    try:
        value = read_json(raw)
    except ValueError as problem:
        raise BadArguments(text_of(problem)) from None
    if not isinstance(value, dict):
        raise BadArguments("args_not_object")
    return value


def _coerced(key: str, kind: object, value: Any) -> Any:
    """Returns an argument with its type; a `bool` passes as an `int`, which Python says it is."""
    if kind is int:
        if isinstance(value, int):
            return value
        digits = value.strip() if isinstance(value, str) else ""
        # `isdigit` omits `+5` and `1_000`, which `int` would take.
        if digits.removeprefix("-").isdigit():
            try:
                return int(digits)
            except ValueError:  # a digit like `²`, or too many of them
                pass
        raise BadArguments(f"bad_int:{key}")
    if kind is bool:
        if isinstance(value, bool):
            return value
        word = value.strip().lower() if isinstance(value, str) else ""
        if word in {"true", "false"}:
            return word == "true"
        raise BadArguments(f"bad_bool:{key}")
    if kind is str:
        if isinstance(value, str):
            return value
        raise BadArguments(f"bad_str:{key}")
    raise BadArguments(f"bad_type:{key}")


class _OlderWays(Policy):
    """The rules of the older engine for running tools, showing outputs and naming events."""

    threads_for_sync_tools: ClassVar[bool] = False
    limits_in_sync_runs: ClassVar[bool] = False
    # Tools of the older engine raise `ValueError`, too, for a mistake of the model.
    user_errors: ClassVar[tuple[type[Exception], ...]] = (UserError, ValueError)

    def cache_key(self, call: ToolCall) -> tuple[str, str]:
        # By the exact text: `{"a":1}` and `{"a": 1}` have a key each.
        return call.name, call.raw_arguments

    def normal(self, run: Running, value: Any) -> Any:
        if value is None:
            return "null"
        if isinstance(value, bytes | bytearray):
            return {"type": "bytes", "len": len(value)}
        if isinstance(value, dict):
            # With these two keys a tool asks for its raw arguments, or for its name, beside the
            # output.
            if value.get("_echo_raw") is True:
                return {**value, "raw": run.call.raw_arguments}
            if value.get("_wrap") is True:
                data = {key: part for key, part in value.items() if key != "_wrap"}
                return {"tool": run.call.name, "data": data}
        return value

    def copied(self, value: Any) -> Any:
        try:
            return copy.deepcopy(value)
        except Exception:  # an output is any object; some can't be copied
            return value

    def failure_text(self, error: BaseException) -> str:
        return text_of(error)

    def guard_arguments(self, run: Running, data: Any) -> tuple[Any, ...]:
        return run.opaque, run.call.name, data

    def packed(self, value: Any) -> Any:
        # Copies both ways: a caller's change of an output must not alter a later hit.
        return copy.deepcopy(value)

    def unpacked(self, stored: Any) -> Any:
        return copy.deepcopy(stored)

    def events(
        self, run: Running, name: str, details: dict[str, Any], error: BaseException | None
    ) -> Iterable[tuple[str, dict[str, Any]]]:
        # Events that the older engine did not have.
        if name in {"call.start", "call.end", "cache.error"}:
            return ()
        retryable = isinstance(error, RetryableError)
        # Both are one event there: an attempt failed in a way that may pass, whether or not another
        # follows.
        if name == "tool.invoke.retry" or (name == "tool.invoke.fail" and retryable):
            name = "tool.invoke.retryable"
        payload: dict[str, Any] = {"tool_name": run.call.name}
        match name:
            case "args.parse.ok":
                payload["keys"] = details["keys"]
            case "args.parse.fail":
                payload["err"] = details["message"]
            case "guard.input.block" | "guard.output.block":
                payload["reason"] = details["message"]
            case "tool.invoke.ok":
                payload["attempts"] = details["attempts"]
            case (
                "tool.invoke.retryable"
                | "tool.invoke.user_error"
                | "tool.invoke.fail"
                | "tool.invoke.timeout"
            ):
                payload |= {"attempt": details["attempt"], "err": details["message"]}
            case _:
                pass  # the name says it all
        return ((name, payload),)

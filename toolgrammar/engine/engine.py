"""Defines `Engine`, which runs the calls of a message with sync or async code.

`Engine([get_weather]).run_all_sync(parse(text))` returns a `ToolResult` for each call; for
`get_weather` with `{"city": "Oslo"}` its value is what `get_weather(city="Oslo")` returned.
"""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator, Callable, Iterable, Iterator, Mapping
from contextlib import aclosing
from types import MappingProxyType, NoneType
from typing import TYPE_CHECKING, Any, Final, TypeAlias, get_args

from toolgrammar.engine.arguments.signature import is_coroutine_function
from toolgrammar.engine.caches import MemoryCache
from toolgrammar.engine.extras import require_extra
from toolgrammar.engine.running.drivers import drive_async, drive_sync
from toolgrammar.engine.running.ended import Ended
from toolgrammar.engine.running.judged import Judged
from toolgrammar.engine.running.pipeline import pipeline
from toolgrammar.engine.running.plan import OnFailure
from toolgrammar.engine.running.plan_drivers import Planned, run_plan_async, run_plan_sync
from toolgrammar.engine.running.run import Bound, Hook, Run, Settings
from toolgrammar.engine.tool import Tool, checked_retries, checked_timeout, to_tool
from toolgrammar.engine.tracing.recorder import Recorder, sinks_of
from toolgrammar.engine.tracing.redaction import Redactor
from toolgrammar.salvage.policy import SalvagePolicy
from toolgrammar.values.calls import ParseResult, ToolCall
from toolgrammar.values.errors import check_several, check_type

if TYPE_CHECKING:
    from toolgrammar.engine.caches import Cache
    from toolgrammar.engine.outcomes.results import ToolResult
    from toolgrammar.engine.running.retries import Retry
    from toolgrammar.engine.tracing.traces import TraceSink
    from toolgrammar.parsing.streams import FinishReason
    from toolgrammar.values.events import Event

Calls: TypeAlias = ParseResult | Iterable[ToolCall]
"""The calls of a message."""
Messages: TypeAlias = Iterable[Mapping[str, Any]]
"""A conversation, in the shape of OpenAI's or Anthropic's API."""

_REDACTOR: Final = Redactor()


class Engine:
    """Runs calls of its tools. It has no state of a call: any thread or event loop may use it.

    Args:
        tools: callables with type hints, and `Tool`s.
        retries: how often a temporary failure is retried.
        timeout: the seconds of each attempt, or None.
        concurrency: the most calls of one message that run at once; None: no limit.
        cache: keeps results; True: a `MemoryCache`. None by default, since tools have effects.
        input_guardrails: `g(call, arguments)`, each may block a call, by raising or by a false value
            other than None.
        output_guardrails: `g(call, value)`, each may block a value, in the same ways.
        approval: a hook that is asked before a call runs, after the input guardrails.
        trace: the sinks of the events.
        on_failure: whether calls that depend on a failed call are skipped or run.
        allow_truncated: whether calls that were cut off run.
        allow_doubtful: whether calls with doubts run.
        max_result_chars: the longest result; a longer one is cut in the middle.
        redact: hides secrets in traces and error messages.
        trace_values: whether arguments and values are in the trace.
        policy: decides which calls that were read from text may run; None: all. A refused call is
            an error whose message is for the model; an approval does not overrule it.

    Raises:
        ValueError: a number is out of its range, or two tools have one name.
        TypeError: something has the wrong type, such as a tool that can't be run.
        ImportError: pydantic is not installed.
    """

    def __init__(  # noqa: PLR0913 - one name a choice
        self,
        tools: Iterable[Callable[..., Any] | Tool],
        *,
        retries: int | Retry = 1,
        timeout: float | None = None,
        concurrency: int | None = 8,
        cache: Cache | bool | None = None,
        input_guardrails: Iterable[Callable[..., Any]] = (),
        output_guardrails: Iterable[Callable[..., Any]] = (),
        approval: Callable[..., Any] | None = None,
        trace: TraceSink | Iterable[TraceSink] | None = None,
        on_failure: OnFailure = "skip",
        allow_truncated: bool = False,
        allow_doubtful: bool = False,
        max_result_chars: int | None = 100_000,
        redact: Redactor | None = _REDACTOR,
        trace_values: bool = False,
        policy: SalvagePolicy | None = None,
    ) -> None:
        # Checked first: without pydantic, later errors would point to the wrong cause.
        require_extra()
        retry, limit = checked_retries(retries), checked_timeout(timeout)
        _check(concurrency=concurrency, on_failure=on_failure, max_result_chars=max_result_chars)
        check_type("policy", policy, (SalvagePolicy, NoneType), "SalvagePolicy() is one")
        check_type("redact", redact, (Redactor, NoneType), "Redactor() is one")
        allowed = {"allow_truncated": allow_truncated, "allow_doubtful": allow_doubtful}
        _check_switches(**allowed, trace_values=trace_values)
        known = _by_name(tools)
        self.tools: Mapping[str, Tool] = MappingProxyType(known)
        """The tools by their names, read-only."""
        self._concurrency = concurrency
        self._on_failure: OnFailure = on_failure
        self._policy = policy
        store = _checked_cache(cache)
        sinks = sinks_of(trace)
        self._settings = Settings(
            tools={
                name: _bound(
                    tool, retry, limit, cached=store is not None, asked=approval is not None
                )
                for name, tool in known.items()
            },
            cache=store,
            input_guardrails=_hooks(input_guardrails),
            output_guardrails=_hooks(output_guardrails),
            approval=None if approval is None else _hook(approval),
            recorder=Recorder(sinks, redact) if sinks else None,
            redact=redact,
            allow_truncated=allow_truncated,
            allow_doubtful=allow_doubtful,
            limit=max_result_chars,
            trace_values=trace_values,
        )

    def __iter__(self) -> Iterator[Tool]:
        """Iterates over the tools, so that an engine can be passed as `tools` to a parser."""
        return iter(self.tools.values())

    # ------------------------------------------------------------ one call

    def run_sync(self, call: ToolCall, *, messages: Messages = ()) -> ToolResult:
        """Runs one call and returns its result; its dependencies are ignored.

        Args:
            call: the call. The policy sees only its arguments, not the text around it.
            messages: the conversation before it, for the policy.

        Raises:
            TypeError: `call` is not a `ToolCall`.
        """
        if not isinstance(call, ToolCall):
            raise _no_call(call)
        return drive_sync(pipeline(self._run(call, messages, asynchronous=False)))

    async def run_async(self, call: ToolCall, *, messages: Messages = ()) -> ToolResult:
        """Runs one call in the running loop and returns its result.

        Args:
            call: as for `run_sync`.
            messages: as for `run_sync`.

        Raises:
            TypeError: `call` is not a `ToolCall`.
        """
        if not isinstance(call, ToolCall):
            raise _no_call(call)
        return await drive_async(pipeline(self._run(call, messages, asynchronous=True)))

    def _run(self, call: ToolCall, messages: Messages, *, asynchronous: bool) -> Run:
        judged = Judged(self._policy, self.tools, messages)
        judged.take(call)
        refusal = judged.refusals.get(0)
        return Run(self._settings, call, asynchronous=asynchronous, refusal=refusal)

    # ------------------------------------------------------------ a message

    def run_all_sync(self, calls: Calls, *, messages: Messages = ()) -> list[ToolResult]:
        """Runs the calls of a message and returns their results in the order of the calls.

        Args:
            calls: the message, or its calls alone.
            messages: the conversation before it, for the policy.

        Raises:
            TypeError: something is not a `ToolCall`.
        """
        # All calls are checked before the first one runs, so that a wrong object at the end of the
        # list raises before there are effects.
        given = _calls(calls)
        judged = self._judged(calls, given, messages)
        with self._planned(judged, asynchronous=False) as planned:
            planned.plan.complete(given)
            for _ in run_plan_sync(planned, None):
                pass
            return [planned.plan.results[index] for index in range(len(given))]

    async def run_all_async(self, calls: Calls, *, messages: Messages = ()) -> list[ToolResult]:
        """Runs the calls of a message and returns their results in the order of the calls.

        Args:
            calls: as for `run_all_sync`.
            messages: as for `run_all_sync`.

        Raises:
            TypeError: something is not a `ToolCall`.
        """
        given = _calls(calls)
        judged = self._judged(calls, given, messages)
        with self._planned(judged, asynchronous=True) as planned:
            planned.plan.complete(given)
            async for _ in run_plan_async(planned, None):
                pass
            return [planned.plan.results[index] for index in range(len(given))]

    def stream_sync(
        self,
        events: Iterable[Event],
        *,
        finish_reason: FinishReason = None,
        messages: Messages = (),
    ) -> Iterator[ToolResult]:
        """Runs calls while their message is still being read; yields results as they finish.

        The events are read in a separate thread, so that waiting for the model delays neither
        calls nor results.

        Args:
            events: the stream of `toolgrammar.stream`, or any events of a parser.
            finish_reason: why the server stopped, or a callable that is called at the end. It is
                passed to a stream of `toolgrammar.stream`; with other events, a call that ends the
                message waits for it, and counts as cut off if the server cut the answer.
            messages: the conversation before the message, for the policy. With a stream of
                `toolgrammar.stream` the policy also sees the text; with other events it does not.

        Raises:
            TypeError: an item is not an event of a parser, or `finish_reason` has another type.
            Exception: any that `events` raises, after the results of the calls that had begun.
        """
        # Not a generator, so that wrong arguments raise here and not at the first result.
        if not isinstance(events, Iterable):
            raise TypeError(f"expected the events of a parser, got {events!r}")
        judged = Judged(self._policy, self.tools, messages, events)
        return self._streamed(events, Ended(events, finish_reason, judged), judged)

    def _streamed(
        self, events: Iterable[Event], ended: Ended, judged: Judged
    ) -> Iterator[ToolResult]:
        with self._planned(judged, asynchronous=False) as planned:
            yield from run_plan_sync(planned, ended.calls(events))

    def stream_async(
        self,
        events: AsyncIterable[Event] | Iterable[Event],
        *,
        finish_reason: FinishReason = None,
        messages: Messages = (),
    ) -> AsyncIterator[ToolResult]:
        """Runs calls while their message is still being read; yields results as they finish.

        Args:
            events: the stream of `toolgrammar.astream` or `stream`, or any events of a parser.
            finish_reason: as for `stream_sync`.
            messages: as for `stream_sync`.

        Raises:
            TypeError: an item is not an event of a parser, or `finish_reason` has another type.
            Exception: as for `stream_sync`.
        """
        if not isinstance(events, AsyncIterable | Iterable):
            raise TypeError(f"expected the events of a parser, got {events!r}")
        judged = Judged(self._policy, self.tools, messages, events)
        return self._streamed_async(events, Ended(events, finish_reason, judged), judged)

    async def _streamed_async(
        self, events: AsyncIterable[Event] | Iterable[Event], ended: Ended, judged: Judged
    ) -> AsyncIterator[ToolResult]:
        with self._planned(judged, asynchronous=True) as planned:
            # If the caller leaves the loop early, the plan and its tasks end at once.
            async with aclosing(run_plan_async(planned, ended.calls_async(events))) as running:
                async for result in running:
                    yield result

    def _judged(self, source: object, calls: list[ToolCall], messages: Messages) -> Judged:
        judged = Judged(self._policy, self.tools, messages, source)
        for call in calls:
            judged.take(call)
        return judged

    def _planned(self, judged: Judged, *, asynchronous: bool) -> Planned:
        return Planned(
            self._settings,
            asynchronous=asynchronous,
            on_failure=self._on_failure,
            concurrency=self._concurrency,
            refusals=judged.refusals,
        )


def _by_name(tools: object) -> dict[str, Tool]:
    # `Engine(tool)` and `Engine("…")` lack the list.
    if isinstance(tools, str | bytes | Tool) or not isinstance(tools, Iterable):
        raise TypeError(f"tools must be a list of tools, got {tools!r}")
    known: dict[str, Tool] = {}
    for tool in map(to_tool, tools):
        if tool.name in known:
            raise ValueError(f"two tools are named {tool.name!r}")
        known[tool.name] = tool
    return known


def _check_switches(**switches: object) -> None:
    """Checks that options are True or False: the text "no" would be true."""
    for name, switch in switches.items():
        check_type(name, switch, bool)


def _check(*, concurrency: object, on_failure: object, max_result_chars: object) -> None:
    for name, number, least in (
        ("concurrency", concurrency, 1),
        ("max_result_chars", max_result_chars, 0),
    ):
        if number is None:
            continue
        # `True` is an int in Python, but a mistake as a number of calls.
        if isinstance(number, bool) or not isinstance(number, int):
            raise TypeError(f"{name} must be a whole number or None, got {number!r}")
        if number < least:
            raise ValueError(f"{name} must be at least {least} or None, got {number!r}")
    if on_failure not in get_args(OnFailure):
        raise ValueError(f"on_failure must be 'skip' or 'continue', got {on_failure!r}")


def _checked_cache(cache: Any) -> Any:
    if cache is None or cache is False:
        return None
    if cache is True:
        return MemoryCache()
    # Any object that has the two methods is a cache.
    if not (callable(getattr(cache, "get", None)) and callable(getattr(cache, "set", None))):
        raise TypeError(f"a cache has the methods get and set; got {cache!r}")
    return cache


def _bound(tool: Tool, retry: Retry, timeout: float | None, *, cached: bool, asked: bool) -> Bound:
    """Returns a tool with its own options, and those of the engine where it has none."""
    return Bound(
        name=tool.name,
        reader=tool.reader,
        sync=tool.sync,
        asynchronous=tool.asynchronous,
        # `...` means the engine's option, since None means no limit.
        retry=retry if tool.retries is ... else checked_retries(tool.retries),
        timeout=timeout if tool.timeout is ... else checked_timeout(tool.timeout),
        cached=cached and tool.cache,
        cache_ttl=tool.cache_ttl,
        asks=asked if tool.approval is None else bool(tool.approval),
        description=tool.description,
    )


def _hooks(functions: Iterable[Callable[..., Any]]) -> tuple[Hook, ...]:
    check_several("guardrails", functions, "a list of functions", "write [guardrail]")
    return tuple(_hook(function) for function in functions)


def _hook(function: Any) -> Hook:
    if not callable(function):
        raise TypeError(f"a guardrail or approval hook is called, got {function!r}")
    # A callable instance, or a `partial`, has no `__name__`.
    name = getattr(function, "__name__", None) or type(function).__name__
    # A sync hook may wait for a person, and must not block the event loop.
    return Hook(function, name, threaded=not is_coroutine_function(function))


def _calls(calls: object) -> list[ToolCall]:
    """Returns the calls of a message after checking their types."""
    if isinstance(calls, ParseResult):
        return list(calls.calls)
    if not isinstance(calls, Iterable):
        raise TypeError(f"expected a ParseResult or calls, got {calls!r}")
    # A list, since the calls are checked and then run, and a generator is consumed once.
    given = list(calls)
    for call in given:
        if not isinstance(call, ToolCall):
            raise _no_call(call)
    return given


def _no_call(call: object) -> TypeError:
    return TypeError(f"expected a toolgrammar.ToolCall, got {type(call).__name__}")

"""The engine: runs the calls that the parser found, the same from sync and async code.

`Engine([get_weather]).run_all_sync(parse(text))` makes of a call `get_weather` with `{"city":
"Oslo"}` one `ToolResult`, whose value is what `get_weather(city="Oslo")` returned.
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
from toolgrammar.values.errors import check_type

if TYPE_CHECKING:
    from toolgrammar.engine.caches import Cache
    from toolgrammar.engine.outcomes.results import ToolResult
    from toolgrammar.engine.running.retries import Retry
    from toolgrammar.engine.tracing.traces import TraceSink
    from toolgrammar.parsing.streams import FinishReason
    from toolgrammar.values.events import Event

Calls: TypeAlias = ParseResult | Iterable[ToolCall]
"""What a plan is made of."""
Messages: TypeAlias = Iterable[Mapping[str, Any]]
"""A conversation, in the shape of OpenAI's or Anthropic's API."""

_REDACTOR: Final = Redactor()


class Engine:
    """Runs calls of its tools. No state of a call lives on it: safe from any thread and loop.

    Args:
        tools: callables with type hints, and `Tool`s.
        retries: how often a failure that may pass is retried.
        timeout: the seconds of each attempt, or None.
        concurrency: how many calls of one message run at once; None: all that can.
        cache: keeps results; True: a `MemoryCache`. None for none, since tools have effects.
        input_guardrails: `g(call, arguments)`, each may block a call by raising.
        output_guardrails: `g(call, value)`, each may block a value by raising.
        approval: is asked before a call runs, after the input guardrails.
        trace: the sinks of the events.
        on_failure: what becomes of calls that depend on one that failed.
        allow_truncated: whether calls run that were cut off.
        allow_doubtful: whether calls run that were repaired by guesses.
        max_result_chars: the longest result; what is more is cut out of its middle.
        redact: hides secrets in traces and error messages.
        trace_values: whether arguments and values are in the trace.
        policy: which calls may run that were read from text; None asks nothing. A refused call is
            an error whose message is for the model, whatever an approval says.

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
        # Before anything else: without pydantic the other errors would point to the wrong cause.
        require_extra()
        retry, limit = checked_retries(retries), checked_timeout(timeout)
        _check(concurrency=concurrency, on_failure=on_failure, max_result_chars=max_result_chars)
        # `Engine(tool)` and `Engine("…")` are mistakes of a missing list.
        if isinstance(tools, str | bytes | Tool) or not isinstance(tools, Iterable):
            raise TypeError(f"tools must be a list of tools, got {tools!r}")
        check_type("policy", policy, (SalvagePolicy, NoneType), "SalvagePolicy() is one")
        known: dict[str, Tool] = {}
        for tool in map(to_tool, tools):
            if tool.name in known:
                raise ValueError(f"two tools are named {tool.name!r}")
            known[tool.name] = tool
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
        """Iterates over the tools, so that `tools=engine` tells a parser of them."""
        return iter(self.tools.values())

    # ------------------------------------------------------------ one call

    def run_sync(self, call: ToolCall, *, messages: Messages = ()) -> ToolResult:
        """Runs one call and returns its result; on what it depends does not count.

        Args:
            call: the call. Its text is not known to the policy, but for its arguments.
            messages: the conversation before it, for the policy.

        Raises:
            TypeError: `call` is no `ToolCall`.
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
            TypeError: `call` is no `ToolCall`.
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
            TypeError: something is no `ToolCall`.
        """
        # Checked as a whole before the first call runs: a wrong object at the end has no effects
        # before it.
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
            TypeError: something is no `ToolCall`.
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

        The events are read in a thread of their own, so that waiting for the model holds up
        neither calls nor results.

        Args:
            events: what `toolgrammar.stream` gives, or a parser.
            finish_reason: why the server stopped, or a callable that is asked at the end. What
                `toolgrammar.stream` gives is told of it; of other events, a call that ends the
                message waits for it, and is taken for cut off if the server cut the answer.
            messages: the conversation before the message, for the policy. What
                `toolgrammar.stream` gives has the text of the calls, too; other events have not.

        Raises:
            TypeError: something is no event of a parser, or `finish_reason` no reason.
        """
        # Not a generator itself, so that wrong arguments raise here and not at the first result.
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
            events: what `toolgrammar.astream` or `stream` gives, or a parser.
            finish_reason: as for `stream_sync`.
            messages: as for `stream_sync`.

        Raises:
            TypeError: something is no event of a parser, or `finish_reason` no reason.
        """
        if not isinstance(events, AsyncIterable | Iterable):
            raise TypeError(f"expected the events of a parser, got {events!r}")
        judged = Judged(self._policy, self.tools, messages, events)
        return self._streamed_async(events, Ended(events, finish_reason, judged), judged)

    async def _streamed_async(
        self, events: AsyncIterable[Event] | Iterable[Event], ended: Ended, judged: Judged
    ) -> AsyncIterator[ToolResult]:
        with self._planned(judged, asynchronous=True) as planned:
            # A caller that leaves the loop early closes the plan at once, and its tasks with it.
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


def _check(*, concurrency: object, on_failure: object, max_result_chars: object) -> None:
    for name, number, least in (
        ("concurrency", concurrency, 1),
        ("max_result_chars", max_result_chars, 0),
    ):
        if number is None:
            continue
        # `True` is an int for Python, and as a number of calls a mistake.
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
    # By its methods: a cache is any object that has them.
    if not (callable(getattr(cache, "get", None)) and callable(getattr(cache, "set", None))):
        raise TypeError(f"a cache has the methods get and set; got {cache!r}")
    return cache


def _bound(tool: Tool, retry: Retry, timeout: float | None, *, cached: bool, asked: bool) -> Bound:
    """Returns a tool with what the engine says where the tool says nothing."""
    return Bound(
        name=tool.name,
        reader=tool.reader,
        sync=tool.sync,
        asynchronous=tool.asynchronous,
        # `...` is "as the engine says", since None is a value of its own: no limit.
        retry=retry if tool.retries is ... else checked_retries(tool.retries),
        timeout=timeout if tool.timeout is ... else checked_timeout(tool.timeout),
        cached=cached and tool.cache,
        cache_ttl=tool.cache_ttl,
        asks=asked if tool.approval is None else bool(tool.approval),
        description=tool.description,
    )


def _hooks(functions: Iterable[Callable[..., Any]]) -> tuple[Hook, ...]:
    # A single guardrail is the mistake of a missing list.
    if callable(functions):
        raise TypeError(f"guardrails are given as a list, got {functions!r}")
    return tuple(_hook(function) for function in functions)


def _hook(function: Any) -> Hook:
    if not callable(function):
        raise TypeError(f"a guardrail or approval hook is called, got {function!r}")
    # An instance that can be called, or a `partial`, has no name of its own.
    name = getattr(function, "__name__", None) or type(function).__name__
    # People are slow: an approval that is no coroutine must not hold up the loop.
    return Hook(function, name, threaded=not is_coroutine_function(function))


def _calls(calls: object) -> list[ToolCall]:
    """Returns the calls of a message after a look at them."""
    if isinstance(calls, ParseResult):
        return list(calls.calls)
    if not isinstance(calls, Iterable):
        raise TypeError(f"expected a ParseResult or calls, got {calls!r}")
    # A generator could be read once only, and the calls are looked at and then run.
    given = list(calls)
    for call in given:
        if not isinstance(call, ToolCall):
            raise _no_call(call)
    return given


def _no_call(call: object) -> TypeError:
    return TypeError(f"expected a toolgrammar.ToolCall, got {type(call).__name__}")

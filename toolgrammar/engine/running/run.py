"""Defines the state of one call while it runs, and the settings of its engine."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from functools import partial
from threading import Event, Lock
from time import monotonic
from typing import TYPE_CHECKING, Any, Final
from uuid import uuid4

from toolgrammar.engine.approvals import digest
from toolgrammar.engine.arguments.reading import copied
from toolgrammar.engine.context import NO_RESULTS, ToolContext
from toolgrammar.engine.outcomes.failures import LONGEST_MESSAGE, Failure, ToolError, cut
from toolgrammar.engine.outcomes.results import ToolResult
from toolgrammar.engine.running.effects import Invoke
from toolgrammar.engine.running.policy import Policy
from toolgrammar.values.calls import ToolCall

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from contextlib import AbstractContextManager

    from toolgrammar.engine.arguments.readers import Reader
    from toolgrammar.engine.arguments.reading import Reading
    from toolgrammar.engine.arguments.signature import Target
    from toolgrammar.engine.running.retries import Retry
    from toolgrammar.engine.tracing.recorder import Recorder
    from toolgrammar.engine.tracing.redaction import Redactor


_POLICY: Final = Policy()


@dataclass(frozen=True, slots=True)
class Hook:
    """A guardrail or an approval hook."""

    function: Callable[..., Any]
    """The hook itself."""
    name: str = ""
    """Its name, in the message of a guardrail that returned a false value."""
    threaded: bool = False
    """Whether the async driver calls it in a thread of its own."""


@dataclass(frozen=True, slots=True)
class Bound:
    """A tool with the options that apply to it in one engine."""

    name: str
    """The tool's name."""
    reader: Reader
    """Reads the arguments."""
    sync: Target
    """What the sync drivers call."""
    asynchronous: Target
    """What the async drivers call."""
    retry: Retry
    """When it is tried again."""
    timeout: float | None = None
    """The seconds of an attempt, or None."""
    cached: bool = False
    """Whether results are looked up and stored."""
    cache_ttl: float | None = None
    """How many seconds a stored result lives, or None for the cache's own."""
    asks: bool = False
    """Whether a call needs an approval."""
    description: str = ""
    """What the tool does."""


@dataclass(frozen=True, slots=True)
class Settings:
    """The immutable settings that all runs of one engine share."""

    tools: Mapping[str, Bound]
    """By name."""
    policy: Policy = _POLICY
    """The rules of the interface."""
    cache: Any = None
    """A `Cache`, or None."""
    input_guardrails: tuple[Hook, ...] = ()
    """Called before the tool."""
    output_guardrails: tuple[Hook, ...] = ()
    """Called after the tool."""
    approval: Hook | None = None
    """Called after the input guardrails."""
    recorder: Recorder | None = None
    """Records the events; None if there are no sinks."""
    redact: Redactor | None = None
    """Redacts the messages of errors; None: they are not redacted."""
    allow_truncated: bool = False
    """Whether calls that were cut off run."""
    allow_doubtful: bool = False
    """Whether calls with doubts run."""
    limit: int | None = None
    """The characters of a result, or None."""
    trace_values: bool = False
    """Whether arguments and values are in the events."""

    def cache_key(self, call: ToolCall) -> tuple[str, str] | None:
        """Returns the key under which the result of a call is cached; None if it is not cached."""
        bound = self.tools.get(call.name)
        if bound is None or not bound.cached or self.cache is None:
            return None
        try:
            return self.policy.cache_key(call)
        # Their `__repr__` may raise, and what can't be keyed is not cached.
        except Exception:  # arguments made by hand are any objects
            return None


class Run:
    """One run of one call."""

    __slots__ = (
        "_ended",
        "_identity",
        "_key",
        "_lock",
        "around",
        "asynchronous",
        "attempts",
        "cache_hangs",
        "call",
        "index",
        "opaque",
        "own",
        "refusal",
        "results",
        "settings",
        "started",
        "traced",
    )  # fmt: skip

    def __init__(
        self,
        settings: Settings,
        call: ToolCall,
        *,
        asynchronous: bool,
        results: Mapping[str, ToolResult] = NO_RESULTS,
        place: Mapping[str, Any] | None = None,
        opaque: Any = None,
        index: int | None = None,
        refusal: str | None = None,
    ) -> None:
        self.settings = settings
        self.call = call
        """The object that was passed in, not a copy."""
        self.own = call
        """The call that runs: the engine's own copy, once the arguments were read."""
        self.index = index
        """The place of the call in its message, where that is known."""
        self.refusal = refusal
        """Why the salvage policy refuses the call; None if it does not."""
        self.asynchronous = asynchronous
        """Whether the async driver runs it."""
        self.results = results
        """The results of the calls it depends on."""
        self.opaque = opaque
        """An object that an interface passes through to its guardrails and tools."""
        self.attempts = 0
        self.cache_hangs = False
        """Whether the cache has timed out: it is then not called again."""
        self.started = monotonic()
        self.traced = settings.recorder is not None
        """Whether events are recorded; to be tested before making one."""
        self._key: str | None = None
        self.around: Callable[[], AbstractContextManager[object]] | None = None
        """Returns what is entered while the tool runs, or None."""
        # Only where there are sinks: most engines have none, and need neither an id nor a lock.
        if settings.recorder is not None:
            named = {"tool_name": call.name, "call_id": call.id}
            self._identity: dict[str, Any] = {
                "run": uuid4().hex,
                # The names come from the model, and may hold anything, a key of a service for
                # instance.
                **settings.recorder.redacted(named),
                **(place or {}),
            }
            self._ended = False
            self._lock = Lock()
            if settings.recorder.surrounds:
                self.around = partial(settings.recorder.around, self._identity["run"])

    def note_cache(self, *, hangs: bool) -> None:
        """Notes whether the cache did not answer in time: then nothing is stored in it either."""
        self.cache_hangs = hangs

    def count_attempt(self) -> None:
        """Counts an attempt that begins."""
        self.attempts += 1

    @property
    def limit(self) -> int | None:
        """The characters of a result, or None."""
        return self.settings.limit

    # ------------------------------------------------------------ trace

    def identity(self) -> dict[str, Any]:
        """Returns the details that every event of this run has."""
        return self._identity

    def record(
        self, name: str, details: dict[str, Any] | None = None, error: BaseException | None = None
    ) -> None:
        """Records an event, unless the run has ended."""
        recorder = self.settings.recorder
        # Threads that outlive their plan may still report; their run has its end already.
        if recorder is None or self._ended:
            return
        found = recorder.redacted(details) if details else {}
        for event, payload in self.settings.policy.events(self, name, found, error):
            recorder.emit(event, payload)

    def record_end(self, details: dict[str, Any]) -> None:
        """Records the end of the run; only the first call has an effect."""
        if not self.traced:
            return
        # The plan's end and a late thread may both want to end a run.
        with self._lock:
            if self._ended:
                return
            self.record("call.end", details)
            self._ended = True

    def give_up(self, error: BaseException) -> None:
        """Records that a `BaseException` ends the run."""
        self.record_end(
            {
                "ok": False,
                "message": type(error).__name__,
                "cached": False,
                "attempts": self.attempts,
                "seconds": monotonic() - self.started,
            }
        )

    # ------------------------------------------------------------ results

    def error(self, code: str, message: str) -> ToolError:
        """Returns an error with a redacted and shortened message."""
        redact = self.settings.redact
        # Redacted before it is cut: half a secret would not be recognised.
        if redact is not None:
            message = redact.text(message)
        return ToolError(code, cut(message, LONGEST_MESSAGE))

    def failed(
        self,
        event: str,
        code: str,
        message: str,
        details: dict[str, Any] | None = None,
        error: BaseException | None = None,
    ) -> Failure:
        """Records an error, and returns the failure that ends the steps of the call."""
        found = self.error(code, message)
        if self.traced:
            self.record(event, {**(details or {}), "code": code, "message": found.message}, error)
        return Failure(found)

    def result(
        self, value: Any = None, error: ToolError | None = None, *, cached: bool = False
    ) -> ToolResult:
        """Returns the result of the call as of now."""
        seconds = monotonic() - self.started
        return ToolResult(self.call, value, error, cached, self.attempts, seconds, self.index)

    def skipped(self, message: str) -> ToolResult:
        """Returns the result of a call that does not run."""
        error = self.error("skipped", message)
        if self.traced:
            self.record("call.skip", {"code": error.code, "message": error.message})
        return ToolResult(self.call, error=error, index=self.index)

    # ------------------------------------------------------------ the call

    def keep(self) -> ToolCall:
        """Makes and returns the engine's own copy of the call, which no other code can change.

        The caller could change the arguments of the original while an approval is pending.
        """
        call = self.call
        # Anything else than a dict is refused by the readers, so it needs no copy.
        if isinstance(call.arguments, dict):
            self.own = ToolCall(
                call.name, copied(call.arguments), call.id, call.input, call.raw_arguments,
                call.span, call.status, call.depends_on, call.format, call.error, call.doubts,
            )  # fmt: skip
        return self.own

    def call_copy(self) -> ToolCall:
        """Returns a copy of the call that a hook may change as it likes."""
        return copy.deepcopy(self.own)

    def key(self) -> str:
        """Returns the digest of the engine's own copy of the call."""
        if self._key is None:
            self._key = digest(self.own)
        return self._key

    def invocation(self, bound: Bound, reading: Reading) -> Invoke:
        """Returns the effect of one more attempt."""
        policy = self.settings.policy
        target = bound.asynchronous if self.asynchronous else bound.sync
        threaded = policy.threads_for_sync_tools
        limit = bound.timeout
        # The shortcut for the common case: values that can't change, no limit, nothing but names.
        # Then neither an event nor a context nor a copy is needed.
        if limit is None and reading.flat and target.by_name:
            return Invoke(
                target, (), reading.arguments, None, None, threaded=threaded, around=self.around
            )
        if not (self.asynchronous or policy.limits_in_sync_runs):
            limit = None
        cancelled: Event | None = None
        context: ToolContext | None = None
        # An event also without a limit where a context shows it: a plan may be broken off.
        if limit is not None or target.signature.contexts:
            cancelled = Event()
        if cancelled is not None and target.signature.contexts:
            context = ToolContext(
                call=self.call,
                attempt=self.attempts + 1,
                # The same for each attempt: a service may tell by it that a retry is not a second
                # order.
                idempotency_key=self.key(),
                deadline=None if limit is None else monotonic() + limit,
                cancelled=cancelled,
                results=self.results,
            )
        # A copy for each attempt: a tool may change its arguments and then fail.
        args, kwargs = target.bound(reading.copy(), context, self.opaque)
        return Invoke(target, args, kwargs, limit, cancelled, threaded=threaded, around=self.around)

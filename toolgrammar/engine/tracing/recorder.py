"""Sends the events of calls to the sinks; a failing sink affects neither a call nor other sinks."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any, Final

from toolgrammar.engine.tracing.redaction import HIDDEN
from toolgrammar.values.plain import copy_json

if TYPE_CHECKING:
    from toolgrammar.engine.tracing.redaction import Redactor
    from toolgrammar.engine.tracing.traces import TraceSink

_HARMLESS: Final = frozenset({bool, int, float, type(None)})
_LOG = logging.getLogger("toolgrammar.engine")


class Recorder:
    """Redacts the details of events, and sends a separate copy to each sink."""

    def __init__(self, sinks: tuple[TraceSink, ...], redact: Redactor | None) -> None:
        self._sinks = sinks
        self._redact = redact
        # A sink may have a `during`, as the one for spans does; `TraceSink` does not require it.
        self._surrounding = [each for each in sinks if callable(getattr(each, "during", None))]
        self.surrounds = bool(self._surrounding)
        """Whether a sink has a context manager to enter while a tool runs."""
        self._failed: dict[int, object] = {}
        self._hidden: dict[str, bool] = {}

    def redacted(self, details: dict[str, Any]) -> dict[str, Any]:
        """Returns details of an event without secrets."""
        redact = self._redact
        if redact is None:
            return details
        return {key: self._part(redact, key, value) for key, value in details.items()}

    def _part(self, redact: Redactor, key: str, value: Any) -> Any:
        # Cached, since there are few names of details and testing one is slow.
        hidden = self._hidden.get(key)
        if hidden is None:
            hidden = self._hidden[key] = redact.hides_key(key)
        if hidden:
            return HIDDEN
        # Secrets can't be recognised in numbers and booleans.
        return value if type(value) in _HARMLESS else redact.data(value)

    def emit(self, name: str, payload: dict[str, Any]) -> None:
        """Sends an event, which is already redacted, to all sinks."""
        for sink in self._sinks:
            try:
                # A copy for each sink, which may keep or change the payload.
                sink.emit(name, copy_json(payload))
            except Exception:  # a failing sink must not affect a call
                self._note(sink)

    @contextmanager
    def around(self, run: str) -> Iterator[None]:
        """Returns a context manager that enters those of the sinks while a tool runs."""
        with ExitStack() as stack:
            for sink in self._surrounding:
                try:
                    stack.enter_context(sink.during(run))  # type: ignore[attr-defined]
                except Exception:
                    self._note(sink)
            yield

    def _note(self, sink: TraceSink) -> None:
        """Logs the first failure of a sink."""
        mark = object()
        # `setdefault` is atomic, so only one of several threads logs.
        if self._failed.setdefault(id(sink), mark) is mark:
            _LOG.exception("the trace sink %s failed", type(sink).__name__)


def sinks_of(trace: object) -> tuple[TraceSink, ...]:
    """Returns the sinks that the engine was given: none, one or several.

    Raises:
        TypeError: an item is not a sink.
    """
    if trace is None:
        return ()
    if callable(getattr(trace, "emit", None)):
        return (trace,)  # type: ignore[return-value]
    # A string is iterable too, but `trace="trace.jsonl"` lacks the sink.
    if isinstance(trace, str | bytes) or not isinstance(trace, Iterable):
        raise TypeError(f"trace must be a TraceSink or several, got {trace!r}")
    sinks = tuple(trace)
    for sink in sinks:
        if not callable(getattr(sink, "emit", None)):
            raise TypeError(f"a TraceSink has a method emit(name, payload); got {sink!r}")
    return sinks

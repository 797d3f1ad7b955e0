"""Defines the sinks of trace events: a list in memory, a file of JSON lines, OpenTelemetry spans.

A call of `get_weather` gives `call.start`, `tool.invoke.ok` and others, each with a payload of JSON
data.
"""

from __future__ import annotations

import copy
import json
import threading
import time
from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, Self, TypeAlias

from toolgrammar.values.errors import described

if TYPE_CHECKING:
    import os
    from contextlib import AbstractContextManager
    from typing import TextIO

    from opentelemetry.trace import Span, Tracer

__all__ = [
    "JsonLinesSink",
    "MemorySink",
    "OpenTelemetrySink",
    "Payload",
    "TraceEvent",
    "TraceSink",
]

Payload: TypeAlias = Mapping[str, Any]
"""The details of an event, as JSON data."""


class TraceSink(Protocol):
    """Receives the events of calls. Several threads may use it at once.

    A sink may also have a method `during(run)`, which returns a context manager that is entered
    while the tool of that run is at work.
    """

    def emit(self, name: str, payload: Payload) -> None:
        """Receives one event; an exception is logged once and otherwise ignored."""
        ...


@dataclass(frozen=True, slots=True)
class TraceEvent:
    """One event as a sink received it."""

    name: str
    """What happened, such as `call.start`."""
    payload: Payload
    """The details, as JSON data."""


class MemorySink:
    """Keeps the events in a list. Thread-safe."""

    def __init__(self) -> None:
        self._events: list[TraceEvent] = []

    def emit(self, name: str, payload: Payload) -> None:
        """Keeps a copy of an event."""
        # Appending to a list is atomic in Python, so no lock is needed.
        self._events.append(TraceEvent(name, copy.deepcopy(dict(payload))))

    @property
    def events(self) -> tuple[TraceEvent, ...]:
        """The events so far, in the order in which they came."""
        return tuple(self._events)


class JsonLinesSink:
    """Writes each event as a JSON object on a line of its own. Thread-safe."""

    def __init__(self, path_or_file: str | os.PathLike[str] | TextIO) -> None:
        """Opens the file, so that a wrong path raises at once.

        Args:
            path_or_file: a file to append to, or an open text file, which the caller has to close.

        Raises:
            OSError: the file can't be opened.
            TypeError: it is neither a path nor a file.
        """
        self._lock = threading.Lock()
        if isinstance(path_or_file, str) or hasattr(path_or_file, "__fspath__"):
            path = Path(path_or_file)
            self._file: TextIO = path.open("a", encoding="utf-8", newline="\n")
            self._owned = True
        else:
            # Without this, each event would fail later, and no trace would be written.
            if not hasattr(path_or_file, "write"):
                raise TypeError(f"expected a path or an open file, got {described(path_or_file)}")
            self._file = path_or_file
            self._owned = False

    def emit(self, name: str, payload: Payload) -> None:
        """Writes a line and flushes it."""
        # The head is merged twice: it comes first, and a payload can't replace its values.
        head = {"name": name, "time": time.time()}
        # ASCII, so that lone surrogates can be written; values that are not JSON become text.
        line = json.dumps({**head, **payload, **head}, default=str) + "\n"
        with self._lock:
            self._file.write(line)
            # Flushed, so that the calls can be followed in the file while they run.
            self._file.flush()

    def close(self) -> None:
        """Closes the file that the sink opened; a second time does nothing."""
        with self._lock:
            if self._owned:
                self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class OpenTelemetrySink:
    """Makes a span for each call by the GenAI conventions, and span events of its events."""

    def __init__(self, tracer: Tracer | None = None) -> None:
        """Sets up the sink.

        Args:
            tracer: the tracer; None: the one named `toolgrammar` of the global provider.

        Raises:
            ImportError: opentelemetry-api is not installed.
            TypeError: it is no tracer.
        """
        try:
            from opentelemetry import trace
        except ImportError as problem:
            raise ImportError(
                "OpenTelemetrySink needs opentelemetry-api: pip install 'toolgrammar[otel]'"
            ) from problem
        if tracer is not None and not hasattr(tracer, "start_span"):
            raise TypeError(
                f"expected a tracer, got {described(tracer)}: a provider gives one, "
                'provider.get_tracer("agent")'
            )
        self._tracer = trace.get_tracer("toolgrammar") if tracer is None else tracer
        self._spans: dict[str | int, Span] = {}

    def emit(self, name: str, payload: Payload) -> None:
        """Starts a span, adds to one, or ends one; events outside calls are omitted."""
        run = payload.get("run")
        # Events of a plan have no run, and a plan has no span.
        if not isinstance(run, str | int) or "tool_name" not in payload:
            return
        if name == "call.start":
            self._spans[run] = self._started(payload)
        elif name == "call.end":
            # None if the sink did not see the call begin.
            span = self._spans.pop(run, None)
            if span is not None:
                span.add_event(name, _attributes(payload))
                _end(span, payload)
        elif name == "call.skip":
            # A call that was skipped gets a span too, so that it is not missing in the trace.
            span = self._started(payload)
            span.add_event(name, _attributes(payload))
            _end(span, {"code": "skipped", **payload, "ok": False})
        else:
            span = self._spans.get(run)
            if span is not None:
                if name == "tool.resolve.ok":
                    _describe(span, payload)
                span.add_event(name, _attributes(payload))
                _add_values(span, payload)

    def during(self, run: str) -> AbstractContextManager[object]:
        """Returns a context manager that makes the call's span the parent of spans in the tool."""
        from opentelemetry.trace import use_span

        span = self._spans.get(run)
        if span is None:
            return nullcontext()
        # The engine itself ends the span and reports the error, so the tool's exception must not
        # be recorded a second time.
        return use_span(span, record_exception=False, set_status_on_exception=False)

    def _started(self, payload: Payload) -> Span:
        """Starts the span of a call, below the span that is current for the caller."""
        attributes = {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": str(payload["tool_name"]),
        }
        if payload.get("call_id") is not None:
            attributes["gen_ai.tool.call.id"] = str(payload["call_id"])
        return self._tracer.start_span(
            f"execute_tool {payload['tool_name']}", attributes=attributes
        )


def _end(span: Span, payload: Payload) -> None:
    """Ends a span, with an error if the call has one."""
    from opentelemetry.trace import Status, StatusCode

    if not payload.get("ok"):
        # By the conventions, `_OTHER` is an error without a code: an aborted call.
        span.set_attribute("error.type", str(payload.get("code") or "_OTHER"))
        message = payload.get("message")
        span.set_status(Status(StatusCode.ERROR, None if message is None else str(message)))
    span.end()


def _describe(span: Span, payload: Payload) -> None:
    """Adds the description of the tool, once it is known."""
    span.set_attribute("gen_ai.tool.type", "function")
    if "tool_description" in payload:
        span.set_attribute("gen_ai.tool.description", str(payload["tool_description"]))


def _add_values(span: Span, payload: Payload) -> None:
    """Adds the arguments and the value, which are present if the engine traces values."""
    for key, attribute in (
        ("arguments", "gen_ai.tool.call.arguments"),
        ("value", "gen_ai.tool.call.result"),
    ):
        if key in payload:
            span.set_attribute(attribute, json.dumps(payload[key], default=str))


def _attributes(payload: Payload) -> dict[str, Any]:
    """Returns a payload as attributes: scalars and lists of strings unchanged, others as JSON."""
    return {
        key: value
        if isinstance(value, str | bool | int | float)
        or (isinstance(value, list) and all(isinstance(item, str) for item in value))
        else json.dumps(value, default=str)
        for key, value in payload.items()
        if value is not None
    }

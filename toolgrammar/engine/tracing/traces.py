"""Where trace events go: a list in memory, JSON lines, spans of OpenTelemetry."""

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
"""What an event says: JSON data."""


class TraceSink(Protocol):
    """Takes the events of calls. It may be used by several threads at once.

    A method `during(run)`, where there is one, gives a context manager that is entered while the
    tool of that run is at work.
    """

    def emit(self, name: str, payload: Payload) -> None:
        """Takes one event; what it raises is logged once and disturbs nothing."""
        ...


@dataclass(frozen=True, slots=True)
class TraceEvent:
    """One event, as a sink was given it."""

    name: str
    """What happened, such as `call.start`."""
    payload: Payload
    """To whom, and how."""


class MemorySink:
    """Keeps the events in a list. Safe from any thread."""

    def __init__(self) -> None:
        self._events: list[TraceEvent] = []

    def emit(self, name: str, payload: Payload) -> None:
        """Keeps a copy of an event."""
        # Adding to a list is one step in Python, so no lock is needed.
        self._events.append(TraceEvent(name, copy.deepcopy(dict(payload))))

    @property
    def events(self) -> tuple[TraceEvent, ...]:
        """The events so far, in the order in which they came."""
        return tuple(self._events)


class JsonLinesSink:
    """Writes each event as a JSON object in a line of its own. Safe from any thread."""

    def __init__(self, path_or_file: str | os.PathLike[str] | TextIO) -> None:
        """Opens the file now, so that a wrong path shows at once.

        Args:
            path_or_file: a file to append to, or a text file that is open already; the caller
                closes that one.

        Raises:
            OSError: the file can't be opened.
        """
        self._lock = threading.Lock()
        if isinstance(path_or_file, str) or hasattr(path_or_file, "__fspath__"):
            path = Path(path_or_file)
            self._file: TextIO = path.open("a", encoding="utf-8", newline="\n")
            self._owned = True
        else:
            self._file = path_or_file
            self._owned = False

    def emit(self, name: str, payload: Payload) -> None:
        """Writes a line and flushes it."""
        # Repeated at the end: a payload can't replace the head, and the head still comes first.
        head = {"name": name, "time": time.time()}
        # ASCII, so that a lone surrogate can be written; what is no JSON is written as text.
        line = json.dumps({**head, **payload, **head}, default=str) + "\n"
        with self._lock:
            self._file.write(line)
            # Each line at once: who follows the file sees the calls while they run.
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
    """Makes one span of each call, by the GenAI conventions; its events become span events."""

    def __init__(self, tracer: Tracer | None = None) -> None:
        """Sets up the sink.

        Args:
            tracer: makes the spans; None: one named `toolgrammar` of the global provider.

        Raises:
            ImportError: opentelemetry-api is not installed.
        """
        try:
            from opentelemetry import trace
        except ImportError as problem:
            raise ImportError(
                "OpenTelemetrySink needs opentelemetry-api: pip install 'toolgrammar[otel]'"
            ) from problem
        self._tracer = trace.get_tracer("toolgrammar") if tracer is None else tracer
        self._spans: dict[str | int, Span] = {}

    def emit(self, name: str, payload: Payload) -> None:
        """Starts a span, adds to one, or ends one; events outside calls are left out."""
        run = payload.get("run")
        # Events of a plan have no run, and there is no span for a plan.
        if not isinstance(run, str | int) or "tool_name" not in payload:
            return
        if name == "call.start":
            self._spans[run] = self._started(payload)
        elif name == "call.end":
            # None where the sink did not see the call begin.
            span = self._spans.pop(run, None)
            if span is not None:
                span.add_event(name, _attributes(payload))
                _end(span, payload)
        elif name == "call.skip":
            # A call that never started has a span too, or it would be missing among its siblings.
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
        """Returns what makes the span of a call the current one: spans in the tool are its own."""
        from opentelemetry.trace import use_span

        span = self._spans.get(run)
        if span is None:
            return nullcontext()
        # The engine itself ends the span and says what went wrong; the tool's exception is not
        # shown twice.
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
    """Ends a span, with an error where the call has one."""
    from opentelemetry.trace import Status, StatusCode

    if not payload.get("ok"):
        # `_OTHER` is the conventions' word for an error without a code: a call broken off.
        span.set_attribute("error.type", str(payload.get("code") or "_OTHER"))
        message = payload.get("message")
        span.set_status(Status(StatusCode.ERROR, None if message is None else str(message)))
    span.end()


def _describe(span: Span, payload: Payload) -> None:
    """Says what tool it is, once that is known."""
    span.set_attribute("gen_ai.tool.type", "function")
    if "tool_description" in payload:
        span.set_attribute("gen_ai.tool.description", str(payload["tool_description"]))


def _add_values(span: Span, payload: Payload) -> None:
    """Adds arguments and value, which are there only where the engine traces values."""
    for key, attribute in (
        ("arguments", "gen_ai.tool.call.arguments"),
        ("value", "gen_ai.tool.call.result"),
    ):
        if key in payload:
            span.set_attribute(attribute, json.dumps(payload[key], default=str))


def _attributes(payload: Payload) -> dict[str, Any]:
    """Returns a payload as attributes: scalars and lists of strings as they are, else JSON."""
    return {
        key: value
        if isinstance(value, str | bool | int | float)
        or (isinstance(value, list) and all(isinstance(item, str) for item in value))
        else json.dumps(value, default=str)
        for key, value in payload.items()
        if value is not None
    }

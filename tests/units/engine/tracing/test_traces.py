"""Every sink takes events from any thread and shows no later change."""

import asyncio
import io
import json
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from opentelemetry import trace
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind, StatusCode

from tests.units.engine.driving import Async, Driver, Sync
from toolgrammar import ToolCall
from toolgrammar.engine import Engine, UserError
from toolgrammar.engine.tracing.traces import (
    JsonLinesSink,
    MemorySink,
    OpenTelemetrySink,
    TraceEvent,
    TraceSink,
)

RUN = {"run": "r1", "tool_name": "search", "call_id": "c1"}


def play(sink: TraceSink, *, run: str = "r1", **end: Any) -> None:
    """Emits the events of one call."""
    head = {**RUN, "run": run}
    sink.emit("call.start", head)
    sink.emit("args.parse.ok", {**head, "keys": ["limit", "query"]})
    sink.emit("tool.invoke.retry", {**head, "attempt": 1, "delay": 0.5, "none": None})
    sink.emit("call.end", {**head, "ok": True, "cached": False, "attempts": 2, **end})


# Memory


def test_memory_keeps_copies_in_order() -> None:
    sink = MemorySink()
    payload: dict[str, Any] = {**RUN, "keys": ["a"]}
    sink.emit("args.parse.ok", payload)
    payload["keys"].append("b")
    payload["tool_name"] = "other"
    sink.emit("call.end", {})
    assert sink.events == (
        TraceEvent("args.parse.ok", {**RUN, "keys": ["a"]}),
        TraceEvent("call.end", {}),
    )


def test_memory_may_be_shared_by_threads() -> None:
    sink = MemorySink()

    def work(number: int) -> None:
        for step in range(200):
            sink.emit(str(number), {"n": step})

    in_threads(work)
    assert len(sink.events) == 8 * 200
    for number in range(8):
        own = [event.payload["n"] for event in sink.events if event.name == str(number)]
        assert own == list(range(200))


# JSON lines


def test_each_event_is_a_line(tmp_path: Path) -> None:
    path = tmp_path / "trace.jsonl"
    with JsonLinesSink(path) as sink:
        play(sink)
        # Flushed: there before the file is closed.
        lines = path.read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    assert [row["name"] for row in rows] == [
        "call.start",
        "args.parse.ok",
        "tool.invoke.retry",
        "call.end",
    ]
    assert list(rows[1]) == ["name", "time", "run", "tool_name", "call_id", "keys"]
    assert rows[1]["keys"] == ["limit", "query"]
    assert all(isinstance(row["time"], float) for row in rows)
    assert path.read_bytes().count(b"\r") == 0


def test_a_line_holds_whatever_a_payload_holds(tmp_path: Path) -> None:
    path = tmp_path / "trace.jsonl"
    with JsonLinesSink(str(path)) as sink:
        sink.emit("x", {"text": "a\nb\u2028 \ud800 ü", "path": Path("here"), "name": "not mine"})
    (line,) = path.read_text(encoding="utf-8").splitlines()
    row = json.loads(line)
    assert row["text"] == "a\nb\u2028 \ud800 ü"
    assert row["path"] == "here"
    assert row["name"] == "x"


def test_a_file_is_opened_at_once_and_added_to(tmp_path: Path) -> None:
    path = tmp_path / "trace.jsonl"
    path.write_text('{"name": "earlier"}\n', encoding="utf-8")
    with JsonLinesSink(path) as sink:
        sink.emit("later", {})
    lines = path.read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)["name"] for line in lines] == ["earlier", "later"]
    with pytest.raises(FileNotFoundError):
        JsonLinesSink(tmp_path / "missing" / "trace.jsonl")


def test_an_open_file_stays_open() -> None:
    file = io.StringIO()
    sink = JsonLinesSink(file)
    sink.emit("x", {})
    sink.close()
    assert json.loads(file.getvalue())["name"] == "x"
    assert not file.closed


def test_a_closed_sink_raises(tmp_path: Path) -> None:
    sink = JsonLinesSink(tmp_path / "trace.jsonl")
    sink.close()
    sink.close()
    with pytest.raises(ValueError, match="closed"):
        sink.emit("x", {})


def test_lines_of_threads_do_not_mix(tmp_path: Path) -> None:
    path = tmp_path / "trace.jsonl"
    with JsonLinesSink(path) as sink:

        def work(number: int) -> None:
            for _ in range(50):
                sink.emit(str(number), {"t": "x" * 500})

        in_threads(work)
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert sorted(row["name"] for row in rows) == sorted(
        str(n) for n in range(8) for _ in range(50)
    )


# OpenTelemetry


@pytest.fixture
def exporter() -> InMemorySpanExporter:
    return InMemorySpanExporter()


@pytest.fixture
def tracer(exporter: InMemorySpanExporter) -> trace.Tracer:
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    return provider.get_tracer("test")


def only(exporter: InMemorySpanExporter) -> ReadableSpan:
    (span,) = exporter.get_finished_spans()
    return span


def test_a_call_is_one_span(exporter: InMemorySpanExporter, tracer: trace.Tracer) -> None:
    play(OpenTelemetrySink(tracer))
    span = only(exporter)
    assert span.name == "execute_tool search"
    assert span.kind is SpanKind.INTERNAL
    assert dict(span.attributes or {}) == {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "search",
        "gen_ai.tool.call.id": "c1",
    }
    assert span.status.status_code is StatusCode.UNSET
    names = [event.name for event in span.events]
    assert names == ["args.parse.ok", "tool.invoke.retry", "call.end"]
    assert dict(span.events[0].attributes or {})["keys"] == ("limit", "query")
    retry = dict(span.events[1].attributes or {})
    assert (retry["attempt"], retry["delay"]) == (1, 0.5)
    assert "none" not in retry


def test_names_are_those_of_the_conventions(
    exporter: InMemorySpanExporter, tracer: trace.Tracer
) -> None:
    from opentelemetry.semconv._incubating.attributes import gen_ai_attributes as names
    from opentelemetry.semconv.attributes.error_attributes import ERROR_TYPE

    sink = OpenTelemetrySink(tracer)
    sink.emit("call.start", RUN)
    sink.emit("args.parse.ok", {**RUN, "keys": ["q"], "arguments": {"q": "ü"}})
    sink.emit("tool.invoke.ok", {**RUN, "value": [1]})
    sink.emit("call.end", {**RUN, "ok": False, "code": "guardrail", "message": "no"})
    assert dict(only(exporter).attributes or {}) == {
        names.GEN_AI_OPERATION_NAME: names.GenAiOperationNameValues.EXECUTE_TOOL.value,
        names.GEN_AI_TOOL_NAME: "search",
        names.GEN_AI_TOOL_CALL_ID: "c1",
        names.GEN_AI_TOOL_CALL_ARGUMENTS: json.dumps({"q": "ü"}),
        names.GEN_AI_TOOL_CALL_RESULT: "[1]",
        ERROR_TYPE: "guardrail",
    }


def test_a_failed_call_is_an_error(exporter: InMemorySpanExporter, tracer: trace.Tracer) -> None:
    play(OpenTelemetrySink(tracer), ok=False, code="tool_error", message="timeout")
    span = only(exporter)
    assert (span.attributes or {})["error.type"] == "tool_error"
    assert span.status.status_code is StatusCode.ERROR
    assert span.status.description == "timeout"


def test_a_call_that_was_broken_off_is_an_error_without_a_code(
    exporter: InMemorySpanExporter, tracer: trace.Tracer
) -> None:
    play(OpenTelemetrySink(tracer), ok=False)
    assert (only(exporter).attributes or {})["error.type"] == "_OTHER"


def test_a_call_without_id_has_no_id(exporter: InMemorySpanExporter, tracer: trace.Tracer) -> None:
    sink = OpenTelemetrySink(tracer)
    sink.emit("call.start", {**RUN, "call_id": None})
    sink.emit("call.end", {**RUN, "call_id": None, "ok": True})
    assert "gen_ai.tool.call.id" not in (only(exporter).attributes or {})


def test_a_skipped_call_has_a_span_of_its_own(
    exporter: InMemorySpanExporter, tracer: trace.Tracer
) -> None:
    message = "dependency a failed (tool_error)"
    OpenTelemetrySink(tracer).emit("call.skip", {**RUN, "message": message})
    span = only(exporter)
    assert (span.attributes or {})["error.type"] == "skipped"
    assert span.status.description == message


def test_events_outside_of_calls_are_left_out(
    exporter: InMemorySpanExporter, tracer: trace.Tracer
) -> None:
    sink = OpenTelemetrySink(tracer)
    sink.emit("plan.start", {"run": "p1"})
    sink.emit("tool.invoke.ok", {**RUN, "run": "unknown"})
    sink.emit("call.end", {**RUN, "run": "unknown", "ok": True})
    sink.emit("plan.end", {})
    assert exporter.get_finished_spans() == ()


def test_spans_of_calls_at_once_stay_apart(
    exporter: InMemorySpanExporter, tracer: trace.Tracer
) -> None:
    sink = OpenTelemetrySink(tracer)
    in_threads(lambda number: play(sink, run=str(number), n=number))
    spans = exporter.get_finished_spans()
    assert len(spans) == 8
    assert all(len(span.events) == 3 for span in spans)


def test_a_span_is_the_child_of_the_callers(
    exporter: InMemorySpanExporter, tracer: trace.Tracer
) -> None:
    with tracer.start_as_current_span("agent") as parent:
        play(OpenTelemetrySink(tracer))
    inner = exporter.get_finished_spans()[0]
    assert inner.parent is not None
    assert inner.parent.span_id == parent.get_span_context().span_id


def test_without_a_tracer_the_global_one_is_used() -> None:
    """The global provider makes spans that record nothing, unless the application sets one."""
    play(OpenTelemetrySink())


def test_a_missing_package_names_the_install_line() -> None:
    program = (
        "import sys\n"
        "sys.modules['opentelemetry'] = None\n"
        "from toolgrammar.engine.tracing.traces import OpenTelemetrySink\n"
        "try:\n"
        "    OpenTelemetrySink()\n"
        "except ImportError as problem:\n"
        "    print(problem)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert "pip install 'toolgrammar[otel]'" in done.stdout


def in_threads(work: Callable[[int], object]) -> None:
    """Does the work in eight threads at once."""
    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


@pytest.mark.parametrize("driver", [Sync(), Async()], ids=lambda driver: driver.name)
@pytest.mark.parametrize("timeout", [None, 30.0])
def test_spans_of_a_tool_are_children_of_its_call(
    exporter: InMemorySpanExporter, tracer: trace.Tracer, driver: Driver, timeout: float | None
) -> None:
    def search(query: str) -> str:
        """Look things up."""
        with tracer.start_as_current_span(f"fetch {query}"):
            return query

    async def later(query: str) -> str:
        with tracer.start_as_current_span(f"fetch {query}"):
            await asyncio.sleep(0)
            return query

    async def fails(query: str) -> str:
        with tracer.start_as_current_span(f"fetch {query}"):
            raise UserError(query)

    engine = Engine([search, later, fails], timeout=timeout, trace=OpenTelemetrySink(tracer))
    calls = [ToolCall(name, {"query": name}) for name in ("search", "later", "fails", "nobody")]
    with tracer.start_as_current_span("turn") as current:
        driver.run_all(engine, calls)
        driver.run(engine, calls[1])
        assert trace.get_current_span() is current
    spans = exporter.get_finished_spans()
    (turn,) = [span for span in spans if span.name == "turn"]
    executed = [span for span in spans if span.name.startswith("execute_tool")]
    fetched = [span for span in spans if span.name.startswith("fetch")]
    assert [parent_of(span) for span in executed] == [turn.context.span_id] * 5
    by_id = {span.context.span_id: span for span in executed}
    assert len(fetched) == 4
    for span in fetched:
        assert by_id[parent_of(span)].name == span.name.replace("fetch", "execute_tool")
    found = {span.name: dict(span.attributes or {}) for span in executed}
    assert found["execute_tool search"]["gen_ai.tool.type"] == "function"
    assert found["execute_tool search"]["gen_ai.tool.description"] == "Look things up."
    assert "gen_ai.tool.type" not in found["execute_tool nobody"]


def parent_of(span: ReadableSpan) -> int:
    assert span.parent is not None
    return span.parent.span_id


def test_a_sink_that_fails_around_a_tool_disturbs_nothing(
    caplog: pytest.LogCaptureFixture,
) -> None:
    class Broken(MemorySink):
        def during(self, run: str) -> None:
            raise OSError(run)

    sink = Broken()
    engine = Engine([lambda: 1], trace=sink)
    for _ in range(2):
        assert engine.run_sync(ToolCall("<lambda>")).value == 1
    assert len(caplog.records) == 1


def test_what_can_take_no_events_is_refused_at_once() -> None:
    wrong: Any = 5
    with pytest.raises(TypeError, match="expected a path or an open file, got int 5"):
        JsonLinesSink(wrong)
    wrong = TracerProvider()
    with pytest.raises(TypeError, match=r"expected a tracer, got TracerProvider .*get_tracer"):
        OpenTelemetrySink(wrong)

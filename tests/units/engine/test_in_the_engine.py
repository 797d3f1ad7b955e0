"""Caches, sinks and the redactor where they are used: around real calls."""

import asyncio
import json
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
import redis.asyncio
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from tests.units.engine.redis_server import RedisServer
from toolgrammar import ToolCall
from toolgrammar.engine import (
    Engine,
    JsonLinesSink,
    MemorySink,
    OpenTelemetrySink,
    Redactor,
    RedisCache,
    SQLiteCache,
    ToolResult,
)

CALL = ToolCall("add", {"a": 1, "b": 2}, id="c1", raw_arguments='{"a": 1, "b": 2}')


def run_sync(engine: Engine, call: ToolCall) -> ToolResult:
    return engine.run_sync(call)


def run_async(engine: Engine, call: ToolCall) -> ToolResult:
    return asyncio.run(engine.run_async(call))


both_drivers = pytest.mark.parametrize("run", [run_sync, run_async])
Runner = Callable[[Engine, ToolCall], ToolResult]


def add(a: int, b: int) -> int:
    return a + b


def fail(password: str, note: str) -> None:
    raise RuntimeError(f"could not log in with {password}; {note}; key sk-abcdefghijklmnop")


@both_drivers
def test_a_redis_that_dies_in_the_middle_never_fails_a_call(
    run: Runner, mortal_redis: RedisServer
) -> None:
    sink = MemorySink()
    with mortal_redis.client() as client:
        engine = Engine([add], cache=RedisCache(client), trace=sink)
        before = [run(engine, CALL) for _ in range(2)]
        mortal_redis.kill()
        told = len(sink.events)
        after = [run(engine, CALL) for _ in range(2)]
    assert [(result.value, result.cached) for result in before] == [(3, False), (3, True)]
    assert [(result.value, result.cached) for result in after] == [(3, False), (3, False)]
    names = [event.name for event in sink.events[told:] if event.name.startswith("cache.")]
    assert names.count("cache.error") == 4  # looked up and stored, twice
    assert "cache.hit" not in names
    assert "cache.store" not in names


def test_an_async_redis_serves_async_runs(redis_server: RedisServer) -> None:
    async def use() -> list[bool]:
        client = redis.asyncio.Redis(host="127.0.0.1", port=redis_server.port)
        engine = Engine([add], cache=RedisCache(client, ttl=60, prefix="async:"))
        found = [(await engine.run_async(CALL)).cached for _ in range(2)]
        await client.flushall()
        await client.aclose()
        return found

    assert asyncio.run(use()) == [False, True]


def test_eight_threads_share_an_engine_with_one_sqlite_cache(tmp_path: Path) -> None:
    results: list[ToolResult] = []
    with SQLiteCache(tmp_path / "results.db") as cache:
        engine = Engine([add], cache=cache)

        def work() -> None:
            for number in range(25):
                arguments = {"a": number, "b": 1}
                call = ToolCall("add", arguments, raw_arguments=json.dumps(arguments))
                results.append(engine.run_sync(call))

        threads = [threading.Thread(target=work) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        again = engine.run_sync(CALL)
    assert len(results) == 200
    assert all(result.value == result.call.arguments["a"] + 1 for result in results)
    assert any(result.cached for result in results)
    assert (again.value, again.cached) == (3, False)


def test_a_broken_value_in_a_file_is_a_miss(tmp_path: Path) -> None:
    with SQLiteCache(tmp_path / "results.db") as cache:
        cache.set(("add", CALL.raw_arguments), "{broken")
        sink = MemorySink()
        result = Engine([add], cache=cache, trace=sink).run_sync(CALL)
        assert (result.value, result.cached) == (3, False)
        assert cache.get(("add", CALL.raw_arguments)) == "3"
    assert "cache.error" in [event.name for event in sink.events]


def test_a_closed_cache_fails_no_call(tmp_path: Path) -> None:
    cache = SQLiteCache(tmp_path / "results.db")
    cache.close()
    assert Engine([add], cache=cache).run_sync(CALL).value == 3


@both_drivers
def test_each_call_is_a_span(run: Runner) -> None:
    exporter = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    tracer = provider.get_tracer("test")
    engine = Engine([add, fail], trace=OpenTelemetrySink(tracer))
    with tracer.start_as_current_span("agent") as parent:
        run(engine, CALL)
        run(engine, ToolCall("fail", {"password": "p", "note": "n"}))
        run(engine, ToolCall("nope"))
    *spans, _ = exporter.get_finished_spans()
    assert [span.name for span in spans] == [f"execute_tool {n}" for n in ("add", "fail", "nope")]
    types = [(span.attributes or {}).get("error.type") for span in spans]
    assert types == [None, "tool_error", "unknown_tool"]
    own = parent.get_span_context().span_id
    assert [span.parent.span_id for span in spans if span.parent is not None] == [own] * 3


def test_the_calls_of_a_plan_are_spans_below_the_callers() -> None:
    exporter = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    tracer = provider.get_tracer("test")
    engine = Engine([add, fail], trace=OpenTelemetrySink(tracer))
    calls = [
        CALL,
        ToolCall("fail", {"password": "p", "note": "n"}, id="c2"),
        ToolCall("add", {"a": 1, "b": 1}, id="c3", depends_on=("c2",)),
    ]
    with tracer.start_as_current_span("agent") as parent:
        engine.run_all_sync(calls)
    spans = {
        (span.attributes or {}).get("gen_ai.tool.call.id"): span
        for span in exporter.get_finished_spans()
        if span.name != "agent"
    }
    assert set(spans) == {"c1", "c2", "c3"}
    assert (spans["c3"].attributes or {})["error.type"] == "skipped"
    own = parent.get_span_context().span_id
    assert {span.parent.span_id for span in spans.values() if span.parent is not None} == {own}


@both_drivers
def test_secrets_reach_neither_traces_nor_messages(run: Runner, tmp_path: Path) -> None:
    path = tmp_path / "trace.jsonl"
    with JsonLinesSink(path) as sink:
        engine = Engine(
            [fail],
            trace=sink,
            trace_values=True,
            redact=Redactor(keys=["note"], values=["hunter2"]),
        )
        result = run(engine, ToolCall("fail", {"password": "hunter2", "note": "by the door"}))
    assert str(result.error) == "tool_error:could not log in with ***; by the door; key ***"
    text = path.read_text(encoding="utf-8")
    assert "hunter2" not in text
    assert "sk-abc" not in text
    events = [json.loads(line) for line in text.splitlines()]
    (read,) = [event for event in events if event["name"] == "args.parse.ok"]
    assert read["arguments"] == {"password": "***", "note": "***"}
    assert read["keys"] == ["note", "password"]

"""Messages with several calls: order, limits, failures, cancellation."""

from __future__ import annotations

import asyncio
import threading
import time
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.units.engine.driving import Async, Driver, Sync, both, call, names
from toolgrammar import ParseResult, ToolCall
from toolgrammar.engine import Engine, MemorySink, ToolContext, ToolError, ToolResult, UserError
from toolgrammar.engine.running.plan import Plan

if TYPE_CHECKING:
    from collections.abc import Iterable

LONG = 30.0


def step(name: str, *needs: str, tool: str = "note") -> ToolCall:
    """A call with an id that depends on others."""
    return ToolCall(tool, {"name": name}, id=name, depends_on=needs)


class Notes:
    """Tools that note when they ran."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.order: list[str] = []
        self.running = 0
        self.most = 0

    def note(self, name: str) -> str:
        with self.lock:
            self.order.append(name)
            self.running += 1
            self.most = max(self.most, self.running)
        time.sleep(0.002)
        with self.lock:
            self.running -= 1
        return name

    async def later(self, name: str) -> str:
        self.order.append(name)
        self.running += 1
        self.most = max(self.most, self.running)
        await asyncio.sleep(0.002)
        self.running -= 1
        return name

    def fail(self, name: str) -> None:
        self.order.append(name)
        raise UserError(name)

    def engine(self, **settings: Any) -> Engine:
        return Engine([self.note, self.later, self.fail], **settings)


def told(results: Iterable[ToolResult]) -> list[str]:
    """What became of each call, briefly."""
    return [each.value if each.ok else str(each.error) for each in results]


@both
def test_results_come_in_the_order_of_the_calls(driver: Driver) -> None:
    calls = [step("c", "a", "b"), step("b", "a"), step("a")]
    notes = Notes()
    assert told(driver.run_all(notes.engine(), calls)) == ["c", "b", "a"]
    assert notes.order == ["a", "b", "c"]


@both
def test_a_parse_result_and_any_iterable_are_messages(driver: Driver) -> None:
    notes = Notes()
    calls = (step("a"), step("b"))
    assert told(driver.run_all(notes.engine(), ParseResult(calls))) == ["a", "b"]
    assert told(driver.run_all(notes.engine(), iter(calls))) == ["a", "b"]
    assert driver.run_all(notes.engine(), []) == []
    assert driver.run_all(notes.engine(), ParseResult()) == []


@both
@pytest.mark.parametrize("tool", ["note", "later"])
@pytest.mark.parametrize("concurrency", [1, 2, 5, None])
def test_at_most_so_many_run_at_once(driver: Driver, concurrency: int | None, tool: str) -> None:
    notes = Notes()
    calls = [step(str(index), tool=tool) for index in range(12)]
    assert driver.run_all(notes.engine(concurrency=concurrency), calls)
    assert notes.most <= (concurrency or 12)
    if concurrency == 1:
        assert notes.order == [each.id for each in calls]


@both
def test_ready_ones_start_in_message_order(driver: Driver) -> None:
    """Each start is seen in the trace: a thread may come to its first line later."""
    sink = MemorySink()
    calls = [step("x", "b"), step("a"), step("b"), step("c"), step("d", "a")]
    engine = Notes().engine(concurrency=1, trace=sink)
    driver.run_all(engine, calls)
    started = [event.payload["call_id"] for event in sink.events if event.name == "call.start"]
    assert started == ["a", "b", "x", "c", "d"]


def test_one_at_a_time_runs_in_the_callers_thread_or_task() -> None:
    def thread() -> int:
        return threading.get_ident()

    async def task() -> int:
        return id(asyncio.current_task())

    engine = Engine([thread, task], concurrency=1)
    assert [each.value for each in engine.run_all_sync([call("thread")] * 2)] == [
        threading.get_ident()
    ] * 2

    async def main() -> None:
        results = await engine.run_all_async([call("task")] * 2)
        assert [each.value for each in results] == [id(asyncio.current_task())] * 2

    asyncio.run(main())


@both
def test_threads_of_a_plan_are_daemons(driver: Driver) -> None:
    def thread() -> bool:
        return threading.current_thread().daemon

    assert [each.value for each in driver.run_all(Engine([thread]), [call("thread")] * 3)] == [
        True
    ] * 3


@both
def test_what_depends_on_a_failure_is_skipped(driver: Driver) -> None:
    sink = MemorySink()
    notes = Notes()
    calls = [
        step("a", tool="fail"),
        step("b", "a"),
        step("c", "b"),
        step("d"),
        step("e", "d", "nowhere", "a"),
        step("f", "d", "a", "nowhere"),
    ]
    results = driver.run_all(notes.engine(trace=sink), calls)
    assert told(results) == [
        "user_error:a",
        "skipped:dependency a failed (user_error)",
        "skipped:dependency b failed (skipped)",
        "d",
        "skipped:unknown dependency nowhere",
        "skipped:dependency a failed (user_error)",
    ]
    assert sorted(notes.order) == ["a", "d"]
    assert [each.attempts for each in results] == [1, 0, 0, 1, 0, 0]
    assert names(sink).count("call.skip") == 4
    assert names(sink).count("call.start") == names(sink).count("call.end") == 2
    assert names(sink)[0] == "plan.start"
    assert names(sink)[-1] == "plan.end"


@both
def test_continue_runs_all_the_same(driver: Driver) -> None:
    seen: dict[str, dict[str, str]] = {}

    def look(name: str, context: ToolContext) -> str:
        seen[name] = {key: str(each.error or each.value) for key, each in context.results.items()}
        return name

    notes = Notes()
    calls = [
        step("a", tool="fail"),
        step("b", "a", "nowhere", tool="look"),
        step("c", "b", tool="look"),
    ]
    engine = Engine([notes.fail, look], on_failure="continue")
    assert told(driver.run_all(engine, calls)) == ["user_error:a", "b", "c"]
    assert seen == {"b": {"a": "user_error:a"}, "c": {"b": "b"}}


@both
@pytest.mark.parametrize("on_failure", ["skip", "continue"])
def test_members_of_a_circle_are_skipped(driver: Driver, on_failure: str) -> None:
    calls = [
        step("a", "b"),
        step("b", "c"),
        step("c", "a"),
        step("self", "self"),
        step("behind", "a"),
        step("free"),
        step("x", "free", "y"),
        step("y", "x"),
    ]
    results = told(driver.run_all(Notes().engine(on_failure=on_failure), calls))
    circle = "skipped:dependency cycle"
    behind = "skipped:dependency a failed (skipped)" if on_failure == "skip" else "behind"
    assert results == [circle, circle, circle, circle, behind, "free", circle, circle]


@both
def test_first_reason_in_the_order_of_the_dependencies(driver: Driver) -> None:
    calls = [
        step("bad", tool="fail"),
        step("a", "bad", "b"),
        step("b", "a", "bad"),
        step("c", "nowhere", "d"),
        step("d", "c"),
    ]
    assert told(driver.run_all(Notes().engine(), calls)) == [
        "user_error:bad",
        "skipped:dependency bad failed (user_error)",
        "skipped:dependency cycle",
        "skipped:unknown dependency nowhere",
        "skipped:dependency cycle",
    ]


@both
def test_an_id_of_several_calls_stands_for_all_of_them(driver: Driver) -> None:
    notes = Notes()
    calls = [
        step("last", "twin"),
        ToolCall("note", {"name": "one"}, id="twin"),
        ToolCall("note", {"name": "two"}, id="twin"),
    ]
    assert told(driver.run_all(notes.engine(), calls)) == ["last", "one", "two"]
    assert notes.order[-1] == "last"
    calls[2] = ToolCall("fail", {"name": "two"}, id="twin")
    assert told(driver.run_all(notes.engine(), calls))[0] == (
        "skipped:dependency twin failed (user_error)"
    )


@both
def test_a_long_chain_needs_no_stack(driver: Driver) -> None:
    calls = [step("0", tool="fail"), *(step(str(n), str(n - 1)) for n in range(1, 3_000))]
    results = driver.run_all(Notes().engine(), calls)
    assert str(results[-1].error) == "skipped:dependency 2998 failed (skipped)"
    circle = [step(str(n), str((n + 1) % 3_000)) for n in range(3_000)]
    assert {str(each.error) for each in driver.run_all(Notes().engine(), circle)} == {
        "skipped:dependency cycle"
    }


@both
def test_a_thousand_calls_in_parallel(driver: Driver) -> None:
    lock = threading.Lock()
    total = [0]

    def count(n: int) -> int:
        with lock:
            total[0] += n
        return n

    async def later(n: int) -> int:
        await asyncio.sleep(0)
        return n

    for concurrency in (8, 200, None):
        total[0] = 0
        engine = Engine([count, later], concurrency=concurrency)
        calls = [call("count" if n % 2 else "later", n=n) for n in range(1_000)]
        if driver.name == "sync" and concurrency is None:
            calls = [call("count", n=n) for n in range(1_000)]
        assert [each.value for each in driver.run_all(engine, calls)] == list(range(1_000))


@given(
    edges=st.lists(st.tuples(st.integers(0, 7), st.integers(0, 8)), max_size=20),
    failing=st.sets(st.integers(0, 7)),
    concurrency=st.sampled_from([1, 2, None]),
    on_failure=st.sampled_from(["skip", "continue"]),
)
def test_any_graph_ends_alike_for_both_drivers(
    edges: list[tuple[int, int]], failing: set[int], concurrency: int | None, on_failure: Any
) -> None:
    """Nothing waits for ever, nothing starts before what it depends on; 8 is nobody's id."""
    calls = [
        step(
            str(n),
            *(str(to) for source, to in edges if source == n),
            tool="fail" if n in failing else "later",
        )
        for n in range(8)
    ]
    found = []
    for driver in (Sync(), Async()):
        sink = MemorySink()
        engine = Notes().engine(concurrency=concurrency, on_failure=on_failure, trace=sink)
        results = driver.run_all(engine, calls)
        found.append(told(results))
        ended: set[str] = set()
        for event in sink.events:
            mark = str(event.payload.get("call_id"))
            if event.name in {"call.end", "call.skip"}:
                ended.add(mark)
            elif event.name == "call.start":
                needs = set(calls[int(mark)].depends_on) - {"8"}
                assert needs <= ended
    assert found[0] == found[1]


# ------------------------------------------------------------------------- breaking off


def test_plan_that_is_broken_off_waits_for_the_running_calls_alone() -> None:
    """Not for those that wait for a place, for another call, or for an equal one that runs."""
    skipped: list[int] = []

    def skip(index: int, reason: str) -> ToolResult:
        skipped.append(index)
        return ToolResult(step("skipped"))

    plan = Plan(
        on_failure="skip",
        concurrency=2,
        skip=skip,
        same=lambda each: each.name if each.name == "same" else None,
    )
    for each in (
        step("a"),
        step("b", tool="same"),
        step("c", tool="same"),
        step("d", "a"),
        step("e"),
        step("f", "unknown"),
    ):
        plan.add(each)
    assert (plan.take(), plan.take(), plan.take()) == (0, 1, None)
    plan.break_off()
    assert not plan.done
    for index, error in ((0, ToolError("user_error", "no")), (1, None)):
        assert not plan.done
        plan.finish(index, ToolResult(plan.calls[index], error=error))
        assert plan.take() is None
    assert plan.done
    assert list(plan.results) == [0, 1]
    assert len(plan.fresh()) == 2
    assert skipped == []


class Gate:
    """Tools of a plan that is broken off."""

    def __init__(self) -> None:
        self.begun: list[str] = []
        self.contexts: list[ToolContext] = []
        self.cleaned: list[str] = []
        self.free = threading.Event()

    async def wait_later(self, name: str, context: ToolContext) -> None:
        self.begun.append(name)
        self.contexts.append(context)
        try:
            await asyncio.sleep(LONG)
        finally:
            await asyncio.sleep(0.01)
            self.cleaned.append(name)

    def wait(self, name: str, context: ToolContext) -> None:
        self.begun.append(name)
        self.contexts.append(context)
        self.free.wait(LONG)

    def exit(self, name: str) -> None:
        while len(self.begun) < 2:
            time.sleep(0.001)
        raise SystemExit(name)

    async def exit_later(self, name: str) -> None:
        while len(self.begun) < 2:
            await asyncio.sleep(0.001)
        raise SystemExit(name)


def paired(sink: MemorySink) -> None:
    """`call.start` and `call.end` pair, and so do those of the plan."""
    for part in ("call", "plan"):
        starts = [e.payload.get("run") for e in sink.events if e.name == f"{part}.start"]
        ends = [e.payload.get("run") for e in sink.events if e.name == f"{part}.end"]
        assert sorted(map(str, starts)) == sorted(map(str, ends))
        assert starts


def test_cancelling_run_all_async_leaves_nothing_running() -> None:
    gate = Gate()
    sink = MemorySink()
    engine = Engine([gate.wait_later, gate.wait], concurrency=3, trace=sink)

    async def main() -> None:
        calls = [
            *(step(name, tool="wait_later") for name in "ab"),
            step("c", tool="wait"),
            *(step(name, tool="wait_later") for name in "de"),
        ]
        task = asyncio.create_task(engine.run_all_async(calls))
        while len(gate.begun) < 3:
            await asyncio.sleep(0.001)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert asyncio.all_tasks() == {asyncio.current_task()}
        assert sorted(gate.cleaned) == ["a", "b"]
        assert sorted(gate.begun) == ["a", "b", "c"]
        assert all(each.cancelled.is_set() for each in gate.contexts)

    asyncio.run(main())
    gate.free.set()
    paired(sink)


def test_second_cancellation_waits_for_the_tasks_too() -> None:
    gate = Gate()
    engine = Engine([gate.wait_later])

    async def main() -> None:
        task = asyncio.create_task(engine.run_all_async([step("a", tool="wait_later")] * 2))
        while len(gate.begun) < 2:
            await asyncio.sleep(0.001)
        task.cancel()
        await asyncio.sleep(0.002)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert asyncio.all_tasks() == {asyncio.current_task()}
        assert gate.cleaned == ["a", "a"]

    asyncio.run(main())


@pytest.mark.parametrize("tool", ["exit", "exit_later"])
def test_base_exception_of_a_tool_cancels_its_siblings(tool: str) -> None:
    gate = Gate()
    sink = MemorySink()
    engine = Engine([gate.wait_later, gate.exit, gate.exit_later], concurrency=3, trace=sink)
    calls = [
        *(step(name, tool="wait_later") for name in "ab"),
        step("x", tool=tool),
        step("never", tool="wait_later"),
    ]

    async def main() -> None:
        with pytest.raises(SystemExit, match="x"):
            await engine.run_all_async(calls)
        assert asyncio.all_tasks() == {asyncio.current_task()}

    asyncio.run(main())
    assert sorted(gate.cleaned) == ["a", "b"]
    assert sorted(gate.begun) == ["a", "b"]
    paired(sink)


@pytest.mark.parametrize("tool", ["exit", "exit_later"])
def test_base_exception_in_run_all_sync_waits_for_no_thread(tool: str) -> None:
    gate = Gate()
    sink = MemorySink()
    engine = Engine([gate.wait, gate.exit, gate.exit_later], concurrency=3, trace=sink)
    calls = [
        *(step(name, tool="wait") for name in "ab"),
        step("x", tool=tool),
        step("never", tool="wait"),
    ]
    with pytest.raises(SystemExit, match="x"):
        engine.run_all_sync(calls)
    assert not gate.free.is_set()
    assert all(each.cancelled.is_set() for each in gate.contexts)
    paired(sink)
    before = len(sink.events)
    gate.free.set()
    for thread in threading.enumerate():
        if thread.name.startswith("toolgrammar-call"):
            thread.join(LONG)
    assert sorted(gate.begun) == ["a", "b"]
    assert len(sink.events) == before


def test_no_further_attempt_after_the_plan_is_broken_off() -> None:
    from toolgrammar.engine import Retry, RetryableError

    attempts: list[int] = []
    asleep = threading.Event()

    def again(context: ToolContext) -> None:
        attempts.append(context.attempt)
        asleep.set()
        raise RetryableError

    def leave() -> None:
        asleep.wait(LONG)
        raise KeyboardInterrupt

    # Longer than a busy machine takes to wake the main thread.
    engine = Engine([again, leave], retries=Retry(5, initial=2.0, jitter=False))
    with pytest.raises(KeyboardInterrupt):
        engine.run_all_sync([call("again"), call("leave")])
    for thread in threading.enumerate():
        if thread.name.startswith("toolgrammar-call"):
            thread.join(LONG)
    assert attempts == [1]

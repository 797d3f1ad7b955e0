"""How a tool is called: threads, loops, limits."""

from __future__ import annotations

import asyncio
import contextvars
import gc
import math
import threading
import time
from typing import TYPE_CHECKING, Any

import pytest

from tests.units.engine.driving import Driver, both, call, names, outcome, written
from toolgrammar.engine import Engine, MemoryCache, MemorySink, Retry, Tool, ToolContext

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

LONG = 30.0
"""Seconds that nobody waits."""


def where() -> int:
    """The thread it runs in."""
    return threading.get_ident()


def test_sync_tool_without_limit_runs_in_the_callers_thread() -> None:
    assert Engine([where]).run_sync(call("where")).value == threading.get_ident()


def test_sync_tool_runs_in_a_daemon_thread_elsewhere() -> None:
    def tool() -> list[Any]:
        thread = threading.current_thread()
        return [thread.daemon, thread is threading.main_thread()]

    assert Engine([tool], timeout=LONG).run_sync(call("tool")).value == [True, False]
    assert asyncio.run(Engine([tool]).run_async(call("tool"))).value == [True, False]


VARIABLE: contextvars.ContextVar[str] = contextvars.ContextVar("variable", default="unset")


@both
def test_threads_have_a_copy_of_the_context(driver: Driver) -> None:
    def tool() -> str:
        seen = VARIABLE.get()
        VARIABLE.set("by the tool")
        return seen

    VARIABLE.set("by the caller")
    engine = Engine([tool], timeout=LONG)
    assert driver.run(engine, call("tool")).value == "by the caller"
    assert [each.value for each in driver.run_all(engine, [call("tool")] * 2)] == [
        "by the caller"
    ] * 2
    assert VARIABLE.get() == "by the caller"


class Hang:
    """Tools that hang until the test lets them go."""

    def __init__(self) -> None:
        self.free = threading.Event()
        self.ended = threading.Event()
        self.contexts: list[ToolContext] = []

    def sync(self, context: ToolContext) -> str:
        self.contexts.append(context)
        self.free.wait(LONG)
        self.ended.set()
        return "too late"

    async def later(self, context: ToolContext) -> str:
        self.contexts.append(context)
        await asyncio.sleep(LONG)
        return "too late"

    async def catches(self, context: ToolContext) -> str:
        self.contexts.append(context)
        try:
            await asyncio.sleep(LONG)
        except asyncio.CancelledError:
            return "caught"
        return "too late"

    async def replaces(self) -> None:
        try:
            await asyncio.sleep(LONG)
        finally:
            raise ValueError("while ending")

    def soon(self) -> Any:
        return asyncio.sleep(LONG)

    async def items(self) -> AsyncIterator[int]:
        yield 1
        await asyncio.sleep(LONG)

    def endless(self) -> Iterator[int]:
        try:
            while not self.free.wait(0.001):
                yield 1
        finally:
            self.ended.set()


@both
@pytest.mark.parametrize(
    "name", ["sync", "later", "catches", "replaces", "soon", "items", "endless"]
)
def test_limit_strikes(driver: Driver, name: str) -> None:
    hang = Hang()
    sink = MemorySink()
    cache = MemoryCache()
    tool = Tool(getattr(hang, name), name="tool", timeout=0.05)
    engine = Engine([tool], cache=cache, trace=sink, retries=Retry(5, on=(Exception,), initial=0))
    assert outcome(driver.run(engine, written("tool"))) == (None, "tool_error:timeout", False, 1)
    assert names(sink)[-2:] == ["tool.invoke.timeout", "call.end"]
    assert all(each.cancelled.is_set() for each in hang.contexts)
    # What the tool returns later is dropped: not stored, not traced.
    hang.free.set()
    if name in {"sync", "endless"}:
        assert hang.ended.wait(LONG)
    assert names(sink)[-1] == "call.end"
    assert len(cache) == 0


@both
def test_coroutine_that_comes_too_late_is_closed(driver: Driver) -> None:
    """No "never awaited" warning: warnings are errors here."""
    free = threading.Event()
    made = threading.Event()

    async def body() -> None:
        raise AssertionError

    def soon() -> Any:
        free.wait(LONG)
        coroutine = body()
        made.set()
        return coroutine

    assert str(driver.run(Engine([soon], timeout=0.05), call("soon")).error) == "tool_error:timeout"
    free.set()
    assert made.wait(LONG)
    for thread in threading.enumerate():
        if thread.name.startswith("toolgrammar-tool"):
            thread.join(LONG)
    gc.collect(1)  # a full one takes a second among the objects of all tests


@both
def test_limit_of_a_tool_comes_before_the_engines(driver: Driver) -> None:
    def tool(context: ToolContext) -> float | None:
        return None if context.deadline is None else context.deadline - time.monotonic()

    tools = [
        Tool(tool, name="own", timeout=LONG),
        Tool(tool, name="none", timeout=None),
        Tool(tool, name="left_out"),
    ]
    engine = Engine(tools, timeout=2 * LONG)
    assert LONG - 5 < driver.run(engine, call("own")).value <= LONG
    assert driver.run(engine, call("none")).value is None
    assert LONG + 5 < driver.run(engine, call("left_out")).value <= 2 * LONG


@both
@pytest.mark.parametrize("limit", [math.inf, 1e300, threading.TIMEOUT_MAX * 2])
def test_limit_may_be_longer_than_a_thread_can_wait(driver: Driver, limit: float) -> None:
    def tool() -> str:
        time.sleep(0.05)  # the driver has to wait for it
        return "done"

    assert driver.run(Engine([tool], timeout=limit), call("tool")).value == "done"


@both
def test_timeouts_are_retried_only_if_asked_for(driver: Driver) -> None:
    contexts: list[ToolContext] = []

    async def tool(context: ToolContext) -> int:
        contexts.append(context)
        await asyncio.sleep(LONG if context.attempt == 1 else 0)
        return context.attempt

    retry = Retry(1, timeouts=True, initial=0)
    result = driver.run(Engine([tool], retries=retry, timeout=0.05), call("tool"))
    assert outcome(result) == (2, "", False, 2)
    assert [each.cancelled.is_set() for each in contexts] == [True, False]


def test_async_tools_of_sync_runs_share_a_loop() -> None:
    """A client that was made in one call works in the next one, inside a running loop too."""
    loops: list[asyncio.AbstractEventLoop] = []
    client: list[asyncio.Future[str]] = []

    async def later() -> str:
        loops.append(asyncio.get_running_loop())
        if not client:
            client.append(asyncio.get_running_loop().create_future())
            client[0].set_result("there")
        return await asyncio.shield(client[0])

    def soon() -> Any:
        return later()

    async def items() -> AsyncIterator[str]:
        yield await later()

    engine = Engine([later, soon, items, where])
    calls = [call("later"), call("soon"), call("items")]

    async def main() -> None:
        assert engine.run_sync(call("where")).value == threading.get_ident()
        check()

    def check() -> None:
        assert [engine.run_sync(each).value for each in calls] == ["there", "there", ["there"]]
        results = engine.run_all_sync(calls)
        assert [each.value for each in results] == ["there", "there", ["there"]]

    check()
    asyncio.run(main())
    assert len(loops) == 12
    assert len(set(loops)) == 1


def test_async_tool_of_a_sync_run_may_run_calls_itself() -> None:
    """In the loop that it holds up they could not be awaited."""

    async def inner(n: int) -> int:
        await asyncio.sleep(0)
        return n + 1

    async def outer(n: int) -> int:
        (result,) = engine.run_all_sync([call("inner", n=n)])
        return int(engine.run_sync(call("inner", n=result.value)).value)

    engine = Engine([inner, outer])
    assert engine.run_sync(call("outer", n=1)).value == 3
    assert [each.value for each in engine.run_all_sync([call("outer", n=1)] * 2)] == [3, 3]


def test_async_tool_that_never_gives_way_holds_up_no_later_call() -> None:
    go_on = threading.Event()

    async def stuck() -> None:
        go_on.wait(LONG)

    async def fine() -> str:
        return "fine"

    engine = Engine([Tool(stuck, timeout=0.05), fine])
    assert str(engine.run_sync(call("stuck")).error) == "tool_error:timeout"
    assert engine.run_sync(call("fine")).value == "fine"
    go_on.set()


def test_async_tool_sees_the_context_of_its_caller() -> None:
    word: contextvars.ContextVar[str] = contextvars.ContextVar("word", default="")

    async def say() -> str:
        return word.get()

    word.set("here")
    engine = Engine([say])
    assert engine.run_sync(call("say")).value == "here"
    assert [each.value for each in engine.run_all_sync([call("say")])] == ["here"]
    word.set("")


def test_async_hooks_are_asked_inside_a_running_loop() -> None:
    async def hook(*_: object) -> bool:
        await asyncio.sleep(0)
        return False

    async def main() -> None:
        error = Engine([where], input_guardrails=[hook]).run_sync(call("where")).error
        assert str(error) == "guardrail:hook"
        error = Engine([where], approval=hook).run_sync(call("where")).error
        assert str(error) == "denied:not approved"

    asyncio.run(main())


@both
def test_generators_are_collected(driver: Driver) -> None:
    def plain(n: int) -> Iterator[int]:
        yield from range(n)

    async def later(n: int) -> AsyncIterator[int]:
        for each in range(n):
            await asyncio.sleep(0)
            yield each

    def broken() -> Iterator[int]:
        yield 1
        raise ValueError("in the middle")

    engine = Engine([plain, later, broken, Tool(plain, name="limited", timeout=LONG)])
    for name in ("plain", "later", "limited"):
        assert driver.run(engine, call(name, n=3)).value == [0, 1, 2]
    assert str(driver.run(engine, call("broken")).error) == "tool_error:in the middle"


def test_async_tool_runs_in_the_callers_loop() -> None:
    async def tool() -> bool:
        return asyncio.get_running_loop() is loops[0]

    loops = []

    async def main() -> None:
        loops.append(asyncio.get_running_loop())
        assert (await Engine([tool]).run_async(call("tool"))).value is True
        (result,) = await Engine([tool]).run_all_async([call("tool")])
        assert result.value is True

    asyncio.run(main())


def test_hung_sync_tool_does_not_hold_up_the_loop() -> None:
    hang = Hang()

    async def main() -> None:
        engine = Engine([Tool(hang.sync, name="hang", timeout=0.2), where])
        first = asyncio.create_task(engine.run_async(call("hang")))
        for _ in range(50):
            assert (await engine.run_async(call("where"))).ok
        assert str((await first).error) == "tool_error:timeout"

    asyncio.run(main())
    hang.free.set()


class Own(BaseException):
    """No `Exception`."""


@both
@pytest.mark.parametrize("limit", [None, LONG])
@pytest.mark.parametrize("kind", [KeyboardInterrupt, SystemExit, asyncio.CancelledError, Own])
def test_what_is_no_exception_goes_through_unchanged(
    driver: Driver, kind: type[BaseException], limit: float | None
) -> None:
    raised = kind("out")

    def plain() -> None:
        raise raised

    async def later() -> None:
        await asyncio.sleep(0)
        raise raised

    sink = MemorySink()
    retry = Retry(3, on=(BaseException,), initial=0)
    engine = Engine([plain, later], timeout=limit, trace=sink, retries=retry)
    for name in ("plain", "later"):
        # A cancelled main task gives a new object in `asyncio.run`: only there.
        renewed = driver.name == "async" and kind is asyncio.CancelledError
        with pytest.raises(kind) as caught:
            driver.run(engine, call(name))
        assert renewed or caught.value is raised
    ends = [event.payload for event in sink.events if event.name == "call.end"]
    assert [end["ok"] for end in ends] == [False, False]
    assert names(sink).count("call.start") == 2


@both
def test_seconds_are_of_the_whole_call(driver: Driver) -> None:
    def tool() -> None:
        time.sleep(0.02)

    before = time.monotonic()
    seconds = driver.run(Engine([tool]), call("tool")).seconds
    assert 0.02 <= seconds <= time.monotonic() - before

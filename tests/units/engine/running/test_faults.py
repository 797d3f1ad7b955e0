"""Tools, hooks, caches and sinks that misbehave in any way, all at once."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import threading
from typing import TYPE_CHECKING, Annotated, Any

import pytest
from pydantic import BeforeValidator

from tests.units.engine.driving import Driver, both, call, outcome, written
from toolgrammar import CallEnd
from toolgrammar.engine import Engine, MemorySink, Retry, RetryableError, Tool, ToolContext

if TYPE_CHECKING:
    from collections.abc import Callable


class Evil:
    """An object that fails whatever is done with it."""

    def __getattribute__(self, name: str) -> Any:
        raise RuntimeError(name)

    def __str__(self) -> str:
        raise RuntimeError

    def __eq__(self, other: object) -> bool:
        raise RuntimeError

    __hash__ = None  # type: ignore[assignment]
    __repr__ = __str__


class EvilError(Exception):
    """An exception that fails, too."""

    def __getattribute__(self, name: str) -> Any:
        if name.startswith("__"):
            return super().__getattribute__(name)
        raise RuntimeError(name)

    def __str__(self) -> str:
        raise RuntimeError


def _raise(error: BaseException) -> Any:
    raise error


GARBAGE: list[Callable[[], Any]] = [
    lambda: [Evil()][0],
    lambda: [Evil()],
    lambda: {Evil: Evil()},
    lambda: [threading.Lock()],
    lambda: (_ for _ in [Evil()]),
    lambda: "\ud800",
    lambda: b"\xff" * 1_000_000,
    lambda: Ellipsis,
    lambda: NotImplemented,
    lambda: Evil,
    lambda: os.environ,
    lambda: _raise(EvilError()),
    lambda: _raise(ExceptionGroup("g", [EvilError()])),
    lambda: _raise(RecursionError()),
    lambda: _raise(MemoryError()),
    lambda: _raise(StopIteration()),
]


@both
@pytest.mark.parametrize("limit", [None, 30])
@pytest.mark.parametrize("index", range(len(GARBAGE)))
def test_garbage_never_raises(driver: Driver, index: int, limit: float | None) -> None:
    tool = Tool(GARBAGE[index], name="tool", timeout=limit)
    retry = Retry(1, on=(Exception,), initial=0)
    engine = Engine([tool], cache=True, trace=MemorySink(), trace_values=True, retries=retry)
    result = driver.run(engine, written("tool"))
    assert result.ok or (result.error is not None and result.error.code == "tool_error")
    result.content.encode("utf-8", "surrogatepass")
    assert type(result).from_dict(result.to_dict()) == result


@both
def test_hooks_that_raise_everywhere(driver: Driver) -> None:
    def bad(*_: object) -> Any:
        raise EvilError

    class Sink:
        emit = staticmethod(bad)

    class Cache:
        get = set = staticmethod(bad)

    def tool() -> str:
        return "done"

    engine = Engine([tool], cache=Cache(), trace=Sink())
    assert outcome(driver.run(engine, written("tool"))) == ("done", "", False, 1)
    engine = Engine([tool], input_guardrails=[bad])
    assert str(driver.run(engine, written("tool")).error) == "guardrail:EvilError"
    engine = Engine([tool], approval=bad)
    assert str(driver.run(engine, written("tool")).error) == "denied:approval failed: EvilError"


@both
@pytest.mark.parametrize("kind", [KeyboardInterrupt, SystemExit])
@pytest.mark.parametrize("where", ["guard", "approval", "cache", "sink", "validator"])
def test_hooks_that_exit_go_through(driver: Driver, where: str, kind: type[BaseException]) -> None:
    raised = kind()

    def leave(*_: object) -> Any:
        raise raised

    def leave_validator(_: Any) -> Any:
        raise raised

    def tool(x: Any) -> Any:
        return x

    if where == "validator":
        tool.__annotations__["x"] = Annotated[int, BeforeValidator(leave_validator)]

    class Cache:
        get = set = staticmethod(leave)
        blocking = True

    class Sink:
        def emit(self, name: str, _: object) -> None:
            if name == "tool.invoke.start":
                leave()

    memory = MemorySink()
    choices: dict[str, dict[str, Any]] = {
        "guard": {"input_guardrails": [leave]},
        "approval": {"approval": leave},
        "cache": {"cache": Cache()},
        "sink": {"trace": [memory, Sink()]},
    }
    engine = Engine([tool], **{"trace": memory, **choices.get(where, {})})
    with pytest.raises(kind) as caught:
        driver.run(engine, written("tool", '{"x": 1}', x=1))
    assert caught.value is raised
    assert [event.name for event in memory.events][-1] == "call.end"


@pytest.mark.skipif(sys.platform == "win32", reason="Windows sends no signal to a thread")
def test_interrupt_while_a_tool_runs(request: pytest.FixtureRequest) -> None:
    """Ctrl-C reaches the caller though the tool goes on in its thread."""
    # Where the tests run in the background, the signal is ignored from the start.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    request.addfinalizer(lambda: signal.signal(signal.SIGINT, before))
    free = threading.Event()
    main = threading.main_thread().ident
    assert main is not None

    def tool() -> None:
        signal.pthread_kill(main, signal.SIGINT)
        free.wait(30)

    async def later() -> None:
        signal.pthread_kill(main, signal.SIGINT)
        await asyncio.sleep(30)

    def wait() -> None:
        free.wait(30)

    engine = Engine([Tool(tool, timeout=30), wait, later])
    with pytest.raises(KeyboardInterrupt):
        engine.run_sync(call("tool"))
    with pytest.raises(KeyboardInterrupt):
        engine.run_all_sync([call("tool"), call("wait")])
    with pytest.raises(KeyboardInterrupt):
        engine.run_sync(call("later"))
    free.set()


def test_hung_tool_does_not_hold_up_the_exit() -> None:
    """A tool that hangs in a thread, and an interpreter that ends all the same."""
    script = """
import asyncio, threading
from toolgrammar import ToolCall
from toolgrammar.engine import Engine
def hang():
    threading.Event().wait()
engine = Engine([hang], timeout=0.05)
print(engine.run_sync(ToolCall("hang")).error)
print(asyncio.run(engine.run_async(ToolCall("hang"))).error)
print([str(r.error) for r in engine.run_all_sync([ToolCall("hang")] * 3)])
"""
    done = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=True,
    )
    assert done.stdout.count("tool_error:timeout") == 5
    assert done.stderr == ""


@both
def test_a_call_for_which_no_thread_is_left_fails(
    driver: Driver, monkeypatch: pytest.MonkeyPatch
) -> None:
    def start(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    engine = Engine([Tool(lambda: "done", name="tool", timeout=30)])
    monkeypatch.setattr(threading.Thread, "start", start)
    error = driver.run(engine, call("tool")).error
    assert str(error) == "tool_error:can't start new thread"


@both
def test_one_engine_from_many_threads_and_loops(driver: Driver) -> None:
    def echo(n: int) -> int:
        return n

    engine = Engine([echo], cache=True, trace=MemorySink(), timeout=30)
    wrong: list[Any] = []

    def work(worker: int) -> None:
        for n in range(25):
            asked = written("echo", f"{worker % 3} {n}", n=n)
            found = driver.run(engine, asked).value
            if found != n:
                wrong.append((worker, n, found))

    threads = [threading.Thread(target=work, args=(worker,)) for worker in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


async def _caught(context: object, *_: object) -> bool:
    """A hook or a tool that waits, and catches the cancellation."""
    try:
        await asyncio.sleep(30)
    except asyncio.CancelledError:
        if isinstance(context, ToolContext):
            raise RetryableError from None
    return True


@pytest.mark.parametrize("concurrency", [1, 8])
@pytest.mark.parametrize("options", ["input_guardrails", "approval", "retries"])
@pytest.mark.parametrize("how", ["run", "run_all", "stream"])
def test_nothing_begins_behind_a_cancellation_that_was_caught(
    concurrency: int, options: str, how: str
) -> None:
    """By a guardrail, an approval hook, or a tool, as code around a network request may do."""
    ran: list[int] = []

    def work(number: int) -> None:
        ran.append(number)

    async def again(context: ToolContext) -> None:
        ran.append(context.attempt)
        await _caught(context)

    every: dict[str, dict[str, Any]] = {
        "input_guardrails": {"input_guardrails": [_caught]},
        "approval": {"approval": _caught},
        "retries": {"retries": Retry(3, initial=0)},
    }
    engine = Engine([work, again], concurrency=concurrency, **every[options])
    made = call("again") if options == "retries" else call("work", number=1)

    async def streamed() -> None:
        async for _ in engine.stream_async([CallEnd(0, made), CallEnd(1, made)]):
            pass

    async def attack() -> None:
        ways: dict[str, Any] = {
            "run": lambda: engine.run_async(made),
            "run_all": lambda: engine.run_all_async([made, made]),
            "stream": streamed,
        }
        task = asyncio.ensure_future(ways[how]())
        await asyncio.sleep(0.05)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(attack())
    assert set(ran) <= ({1} if options == "retries" else set())


def test_an_engine_runs_in_the_end_of_a_task_that_was_cancelled() -> None:
    async def cancelled() -> list[bool]:
        found: list[bool] = []

        async def outer() -> None:
            try:
                await asyncio.sleep(30)
            finally:
                results = await Engine([lambda: 1]).run_all_async([call("<lambda>")] * 2)
                found.extend(each.ok for each in results)

        task = asyncio.ensure_future(outer())
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return found

    assert asyncio.run(cancelled()) == [True, True]

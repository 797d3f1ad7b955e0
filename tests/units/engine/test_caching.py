"""How the engine uses a cache; the caches themselves have their own tests."""

from __future__ import annotations

import asyncio
import dataclasses
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest

from tests.units.engine.driving import Driver, both, names, outcome, written
from toolgrammar import CallEnd, Event, ToolCall
from toolgrammar.engine import Engine, MemoryCache, MemorySink, SQLiteCache, Tool, UserError

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path


class Counter:
    """Tools that count their runs."""

    def __init__(self) -> None:
        self.runs = 0

    def tool(self, **arguments: Any) -> Any:
        self.runs += 1
        return arguments.get("value", "done")

    def fails(self) -> None:
        self.runs += 1
        raise UserError


@both
def test_key_is_exact(driver: Driver) -> None:
    """No canonical JSON."""
    counter = Counter()
    engine = Engine([counter.tool], cache=True)
    for raw in ('{"x":1}', '{ "x":1 }', '{"x":1}', ""):
        arguments = {"x": 1} if raw else {}
        driver.run(engine, ToolCall("tool", arguments, raw_arguments=raw))
    assert counter.runs == 3


@both
def test_call_by_hand_has_no_key(driver: Driver) -> None:
    counter = Counter()
    sink = MemorySink()
    engine = Engine([counter.tool], cache=True, trace=sink)
    for _ in range(2):
        driver.run(engine, ToolCall("tool", {"x": 1}))
        driver.run(engine, ToolCall("tool", input="text"))
        driver.run(engine, written("tool", '{"x": 1}', x=1).with_arguments({"x": 2}))
    assert counter.runs == 6
    assert not any(name.startswith("cache.") for name in names(sink))


@both
def test_key_tells_calls_apart_that_were_written_alike(driver: Driver) -> None:
    """An argument that a block before gave, a text that looks like JSON, an edit, a typed value."""
    counter = Counter()
    engine = Engine([counter.tool], cache=True)
    raw = '{"x": 1}'
    calls = [
        written("tool", raw, x=1),
        written("tool", raw, x="1"),
        written("tool", raw, x=True),
        written("tool", raw, x=1, path="a.py"),
        dataclasses.replace(written("tool", raw, x=1), arguments={"x": 2}),
        ToolCall("tool", raw_arguments=raw, input=raw),
        ToolCall("tool", {"x": 1}, raw_arguments=raw, input=raw),
        written("tool", "not json"),
    ]
    for asked in calls * 2:
        driver.run(engine, asked)
    assert counter.runs == len(calls)


@both
def test_equal_calls_of_a_message_run_once(driver: Driver) -> None:
    counter = Counter()
    cached = Engine([counter.tool, Tool(counter.tool, name="fresh", cache=False)], cache=True)
    calls = [written("tool", '{"x": 1}', x=1)] * 4
    for results in (driver.run_all(cached, calls), driver.stream(cached, ends(calls))):
        assert [each.value for each in results] == ["done"] * 4
        assert [each.index for each in results] == [0, 1, 2, 3]
    assert counter.runs == 1
    driver.run_all(cached, [written("fresh", '{"x": 1}', x=1)] * 3)
    driver.run_all(Engine([counter.tool]), calls)
    assert counter.runs == 1 + 3 + 4


@both
def test_equal_calls_of_which_one_fails_run_one_after_the_other(driver: Driver) -> None:
    runs: list[int] = []

    def shaky(n: int) -> int:
        runs.append(n)
        if len(runs) == 1:
            raise UserError
        return n

    results = driver.run_all(Engine([shaky], cache=True), [written("shaky", '{"n": 1}', n=1)] * 3)
    assert [(each.ok, each.cached) for each in results] == [
        (False, False),
        (True, False),
        (True, True),
    ]
    assert len(runs) == 2


def ends(calls: Iterable[ToolCall]) -> list[Event]:
    """The events of a message with these calls."""
    return [CallEnd(index, each) for index, each in enumerate(calls)]


def test_sync_and_async_share_a_cache() -> None:
    counter = Counter()
    engine = Engine([counter.tool], cache=True)
    assert not engine.run_sync(written("tool")).cached
    assert asyncio.run(engine.run_async(written("tool"))).cached


@both
def test_null_is_a_hit(driver: Driver) -> None:
    counter = Counter()
    engine = Engine([counter.tool], cache=True)
    asked = written("tool", '{"value": null}', value=None)
    assert [outcome(driver.run(engine, asked)) for _ in range(2)] == [
        (None, "", False, 1),
        (None, "", True, 0),
    ]


@both
def test_only_results_that_are_ok_are_stored(driver: Driver) -> None:
    counter = Counter()
    engine = Engine([counter.fails], cache=True)
    for _ in range(2):
        assert not driver.run(engine, written("fails")).cached
    assert counter.runs == 2


@both
def test_no_one_shares_objects_with_the_cache(driver: Driver) -> None:
    engine = Engine([Counter().tool], cache=True)
    asked = written("tool", '{"value": [1]}', value=[1])
    for _ in range(3):
        result = driver.run(engine, asked)
        assert result.value == [1]
        result.value.append("changed")


@both
def test_tool_opts_out_of_both_directions(driver: Driver) -> None:
    counter = Counter()
    cache = MemoryCache()
    sink = MemorySink()
    engine = Engine([Tool(counter.tool, cache=False)], cache=cache, trace=sink)
    cache.set(("tool", "{}"), '"stored"')
    assert driver.run(engine, written("tool")).value == "done"
    assert cache.get(("tool", "{}")) == '"stored"'
    assert not any(name.startswith("cache.") for name in names(sink))


@both
def test_no_cache_by_default(driver: Driver) -> None:
    counter = Counter()
    for cache in (None, False):
        engine = Engine([counter.tool], cache=cache)
        driver.run(engine, written("tool"))
        driver.run(engine, written("tool"))
    assert counter.runs == 4


class Broken:
    """A cache that fails."""

    def __init__(self, stored: Any = None, *, blocking: bool = False) -> None:
        self.stored = stored
        self.blocking = blocking

    def get(self, _: tuple[str, str]) -> Any:
        if self.stored is None:
            raise ConnectionError
        return self.stored

    def set(self, *_: object) -> None:
        raise ConnectionError


@both
@pytest.mark.parametrize("blocking", [False, True])
@pytest.mark.parametrize("stored", [None, "{", "NaN", "", b"1", 5, "[" * 100_000], ids=repr)
def test_failing_cache_is_a_miss(driver: Driver, stored: Any, *, blocking: bool) -> None:
    sink = MemorySink()
    engine = Engine([Counter().tool], cache=Broken(stored, blocking=blocking), trace=sink)
    assert outcome(driver.run(engine, written("tool"))) == ("done", "", False, 1)
    events = [name for name in names(sink) if name.startswith("cache.")]
    assert events == ["cache.error", "cache.miss", "cache.error"]
    # The type of the error alone: its text may hold a password.
    told = [event.payload for event in sink.events if event.name == "cache.error"]
    assert all(each["message"].isidentifier() for each in told)


class Later:
    """An async cache."""

    def __init__(self) -> None:
        self.inner = MemoryCache()
        self.loops: list[asyncio.AbstractEventLoop] = []

    async def get(self, key: tuple[str, str]) -> str | None:
        self.loops.append(asyncio.get_running_loop())
        await asyncio.sleep(0)
        return self.inner.get(key)

    async def set(self, key: tuple[str, str], value: str, ttl: float | None = None) -> None:
        await asyncio.sleep(0)
        self.inner.set(key, value, ttl)


@both
def test_methods_of_a_cache_may_be_async(driver: Driver) -> None:
    engine = Engine([Counter().tool], cache=Later())
    assert [driver.run(engine, written("tool")).cached for _ in range(2)] == [False, True]


def test_blocking_cache_is_called_in_a_thread_by_the_async_driver() -> None:
    threads: list[int] = []

    class Blocking(MemoryCache):
        blocking = True

        def get(self, key: tuple[str, str]) -> str | None:
            threads.append(threading.get_ident())
            return super().get(key)

    engine = Engine([Counter().tool], cache=Blocking())
    asyncio.run(engine.run_async(written("tool")))
    engine.run_sync(written("tool"))
    assert threads[0] != threading.get_ident()
    assert threads[1] == threading.get_ident()


@both
def test_life_of_a_tools_results(driver: Driver) -> None:
    now = [0.0]
    counter = Counter()
    cache = MemoryCache(ttl=100, clock=lambda: now[0])
    engine = Engine([Tool(counter.tool, cache_ttl=5)], cache=cache)
    for now[0], cached in ((0, False), (4, True), (6, False)):
        assert driver.run(engine, written("tool")).cached is cached


def test_eight_threads_on_one_engine_with_one_sqlite_cache(tmp_path: Path) -> None:
    lock = threading.Lock()
    runs: dict[int, int] = {}

    def square(n: int) -> int:
        with lock:
            runs[n] = runs.get(n, 0) + 1
        return n * n

    with SQLiteCache(tmp_path / "cache.db") as cache:
        engine = Engine([square], cache=cache, trace=(sink := MemorySink()))

        def work(worker: int) -> list[Any]:
            numbers = [(worker * 7 + each) % 40 for each in range(80)]
            calls = [written("square", f'{{"n": {n}}}', n=n) for n in numbers]
            if worker % 2:
                results = [engine.run_sync(each) for each in calls]
            else:
                results = asyncio.run(engine.run_all_async(calls))
            assert [each.value for each in results] == [n * n for n in numbers]
            return results

        with ThreadPoolExecutor(8) as pool:
            results = [each for part in pool.map(work, range(8)) for each in part]
    assert len(results) == 640
    assert "cache.error" not in names(sink)
    assert sum(runs.values()) == sum(not each.cached for each in results)
    # Every number was stored, so whoever came later found it.
    with SQLiteCache(tmp_path / "cache.db") as cache:
        assert [cache.get(("square", f'{{"n": {n}}}')) for n in range(40)] == [
            str(n * n) for n in range(40)
        ]


def test_what_is_no_cache_is_a_mistake() -> None:
    wrongs: list[Any] = [set(), "sqlite", 3]
    for wrong in wrongs:
        with pytest.raises(TypeError):
            Engine([], cache=wrong)


class Hanging:
    """A cache that does not answer; it does not say that it blocks."""

    def __init__(self) -> None:
        self.asked = 0
        self.go_on = threading.Event()

    def get(self, key: tuple[str, str]) -> None:
        self.asked += 1
        self.go_on.wait(30)

    def set(self, key: tuple[str, str], value: str, ttl: float | None = None) -> None:
        self.get(key)


class HangingLater(Hanging):
    """The same, awaited."""

    async def get(self, key: tuple[str, str]) -> None:  # type: ignore[override]
        self.asked += 1
        await asyncio.sleep(30)

    async def set(self, key: tuple[str, str], value: str, ttl: float | None = None) -> None:  # type: ignore[override]
        await self.get(key)


@both
@pytest.mark.parametrize("kind", [Hanging, HangingLater])
def test_cache_that_hangs_costs_no_more_than_the_tool_may(
    driver: Driver, kind: type[Hanging]
) -> None:
    counter, sink, cache = Counter(), MemorySink(), kind()
    engine = Engine([Tool(counter.tool, timeout=0.05)], cache=cache, trace=sink)
    result = driver.run(engine, written("tool"))
    assert (result.value, result.cached) == ("done", False)
    assert [name for name in names(sink) if name.startswith("cache.")] == [
        "cache.error",
        "cache.miss",
    ]
    assert cache.asked == 1
    cache.go_on.set()

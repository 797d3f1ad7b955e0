"""Every cache stores the same way; each has its own way to forget and to fail."""

import asyncio
import hashlib
import json
import os
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, Protocol, cast

import pytest
import redis
import redis.asyncio

from tests.units.engine.redis_server import RedisServer
from toolgrammar.engine.caches import MemoryCache, RedisCache, SQLiteCache


class Store(Protocol):
    """A cache, as the tests use it: never awaitable."""

    def get(self, key: tuple[str, str]) -> str | None: ...

    def set(self, key: tuple[str, str], value: str, ttl: float | None = None) -> None: ...


class Clock:
    """A clock that the test sets."""

    def __init__(self) -> None:
        self.now = 1_000.0

    def __call__(self) -> float:
        return self.now


KEY = ("search", '{"q": "ü"}')


@pytest.fixture(params=["memory", "sqlite", "redis", "redis-text"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    if request.param == "memory":
        yield MemoryCache()
    elif request.param == "sqlite":
        with SQLiteCache(tmp_path / "results.db") as cache:
            yield cache
    else:
        server: RedisServer = request.getfixturevalue("redis_server")
        with server.client(decode_responses=request.param == "redis-text") as client:
            client.flushall()
            # A blocking client gives no awaitables.
            yield cast("Store", RedisCache(client))


@pytest.fixture(params=["memory", "sqlite"])
def aging(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[Store, Clock]]:
    clock = Clock()
    if request.param == "memory":
        yield MemoryCache(ttl=10, clock=clock), clock
    else:
        with SQLiteCache(tmp_path / "results.db", ttl=10, clock=clock) as cache:
            yield cache, clock


# Every cache


def test_what_is_no_client_is_a_mistake() -> None:
    wrong: Any = "redis://127.0.0.1"
    with pytest.raises(TypeError, match="client must be one of the redis package, got 'redis:"):
        RedisCache(wrong)


def test_a_value_comes_back_as_it_was_stored(store: Store) -> None:
    value = json.dumps({"text": "ü ✓ 🛠️ \x00", "n": [1, 2.5, None]}, ensure_ascii=False)
    assert store.get(KEY) is None
    store.set(KEY, value)
    assert store.get(KEY) == value


def test_the_value_null_is_a_hit(store: Store) -> None:
    store.set(KEY, "null")
    assert store.get(KEY) == "null"


def test_a_later_value_replaces_an_earlier_one(store: Store) -> None:
    store.set(KEY, "1")
    store.set(KEY, "2")
    assert store.get(KEY) == "2"


@pytest.mark.parametrize(
    "other",
    [
        ("search", '{"q":"ü"}'),
        ("search", '{"q": "ü"} '),
        ("Search", '{"q": "ü"}'),
        ("search", '{"q": "u\u0308"}'),
        ("searc", 'h{"q": "ü"}'),
        ('search{"q": "ü"}', ""),
    ],
)
def test_a_key_is_exact(store: Store, other: tuple[str, str]) -> None:
    store.set(KEY, "1")
    assert store.get(other) is None
    store.set(other, "2")
    assert (store.get(KEY), store.get(other)) == ("1", "2")


def test_a_key_may_hold_anything_of_any_length(store: Store) -> None:
    key = ("t", "x\x00y'\"\n" * 50_000)
    store.set(key, "1")
    assert store.get(key) == "1"


def test_a_value_that_is_no_json_is_given_back_too(store: Store) -> None:
    """Whether it is JSON is for the engine to judge, which counts it as a miss."""
    store.set(KEY, "{broken")
    assert store.get(KEY) == "{broken"


def test_threads_may_share_one(store: Store) -> None:
    problems: list[BaseException] = []

    def work(number: int) -> None:
        try:
            for step in range(25):
                key = ("tool", str(step % 5))
                store.set(key, json.dumps([number, step]))
                found = store.get(key)
                assert found is not None
                assert json.loads(found)[1] % 5 == step % 5
        except BaseException as problem:
            problems.append(problem)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert problems == []


# Forgetting


def test_a_result_lives_until_its_time_is_over(aging: tuple[Store, Clock]) -> None:
    store, clock = aging
    store.set(KEY, "1")
    clock.now += 9.9
    assert store.get(KEY) == "1"
    clock.now += 0.1
    assert store.get(KEY) is None


def test_a_result_may_have_a_time_of_its_own(aging: tuple[Store, Clock]) -> None:
    store, clock = aging
    store.set(KEY, "1", 100)
    store.set(("short", ""), "2", 0.5)
    clock.now += 50
    assert store.get(KEY) == "1"
    assert store.get(("short", "")) is None


def test_storing_again_starts_the_time_anew(aging: tuple[Store, Clock]) -> None:
    store, clock = aging
    store.set(KEY, "1")
    clock.now += 8
    store.set(KEY, "2")
    clock.now += 8
    assert store.get(KEY) == "2"


def test_a_hit_does_not_start_the_time_anew(aging: tuple[Store, Clock]) -> None:
    store, clock = aging
    store.set(KEY, "1")
    clock.now += 8
    assert store.get(KEY) == "1"
    clock.now += 8
    assert store.get(KEY) is None


def test_without_a_time_a_result_stays() -> None:
    clock = Clock()
    cache = MemoryCache(clock=clock)
    cache.set(KEY, "1")
    clock.now += 1e9
    assert cache.get(KEY) == "1"


@pytest.mark.parametrize("make", [MemoryCache, SQLiteCache, RedisCache])
@pytest.mark.parametrize("ttl", [0, -1.0])
def test_a_life_that_is_not_positive_is_refused(
    make: Callable[..., object], ttl: float, tmp_path: Path
) -> None:
    first = () if make is MemoryCache else (tmp_path / "x",)
    with pytest.raises(ValueError, match="ttl must be positive"):
        make(*first, ttl=ttl)


@pytest.mark.parametrize("ttl", ["5", [5]])
def test_a_life_that_is_no_number_is_refused(ttl: Any) -> None:
    with pytest.raises(TypeError, match="ttl must be an int or float or None, got"):
        MemoryCache(ttl=ttl)
    with pytest.raises(ValueError, match="ttl must be positive or None, got nan"):
        MemoryCache(ttl=float("nan"))


# Memory


def test_the_entry_unused_for_longest_goes_first() -> None:
    cache = MemoryCache(max_entries=2)
    cache.set(("a", ""), "1")
    cache.set(("b", ""), "2")
    assert cache.get(("a", "")) == "1"  # a hit renews
    cache.set(("c", ""), "3")
    assert cache.get(("b", "")) is None
    assert (cache.get(("a", "")), cache.get(("c", ""))) == ("1", "3")
    assert len(cache) == 2


def test_storing_again_renews_too() -> None:
    cache = MemoryCache(max_entries=2)
    for name in "aba":
        cache.set((name, ""), name)
    cache.set(("c", ""), "c")
    assert cache.get(("b", "")) is None


@pytest.mark.parametrize("size", [0, -3])
def test_a_memory_for_nothing_is_refused(size: int) -> None:
    with pytest.raises(ValueError, match="max_entries must be at least 1"):
        MemoryCache(max_entries=size)
    wrong: Any = "many"
    with pytest.raises(TypeError, match="max_entries must be an int, got str 'many'"):
        MemoryCache(max_entries=wrong)


# SQLite


def test_sqlite_survives_a_restart_and_holds_plain_text(tmp_path: Path) -> None:
    path = tmp_path / "results.db"
    with SQLiteCache(str(path)) as cache:
        cache.set(KEY, '"value"')
    with SQLiteCache(path) as cache:
        assert cache.get(KEY) == '"value"'
    connection = sqlite3.connect(path)
    row = connection.execute("SELECT tool_name, raw_arguments, value FROM results").fetchone()
    mode = connection.execute("PRAGMA journal_mode").fetchone()
    connection.close()
    assert row == (*KEY, '"value"')
    assert mode == ("wal",)


def test_sqlite_drops_what_is_over(tmp_path: Path) -> None:
    clock = Clock()
    path = tmp_path / "results.db"
    with SQLiteCache(path, clock=clock) as cache:
        cache.set(("a", ""), "1", 5)
        cache.set(("b", ""), "2")
        clock.now += 6
        cache.set(("c", ""), "3", 5)
    connection = sqlite3.connect(path)
    names = connection.execute("SELECT tool_name FROM results ORDER BY tool_name").fetchall()
    connection.close()
    assert names == [("b",), ("c",)]


def test_sqlite_caches_of_one_file_see_each_other(tmp_path: Path) -> None:
    path = tmp_path / "results.db"
    with SQLiteCache(path) as one, SQLiteCache(path) as other:
        one.set(KEY, "1")
        assert other.get(KEY) == "1"


def test_processes_may_open_one_new_sqlite_file_at_once(tmp_path: Path) -> None:
    program = (
        "import sys\n"
        "from toolgrammar.engine.caches import SQLiteCache\n"
        "sys.stdin.readline()\n"
        "with SQLiteCache(sys.argv[1]) as cache:\n"
        "    for step in range(50):\n"
        "        cache.set((sys.argv[2], str(step)), str(step))\n"
    )
    path = tmp_path / "results.db"
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", program, str(path), str(number)], stdin=subprocess.PIPE
        )
        for number in range(4)
    ]
    for process in processes:
        assert process.stdin is not None
        process.stdin.write(b"\n")
        process.stdin.flush()
    for process in processes:
        process.communicate()
    assert [process.returncode for process in processes] == [0] * 4
    with SQLiteCache(path) as cache:
        found = [cache.get((str(n), str(step))) for n in range(4) for step in range(50)]
    assert found == [str(step) for _ in range(4) for step in range(50)]


def test_a_closed_sqlite_cache_raises_and_closes_once(tmp_path: Path) -> None:
    cache = SQLiteCache(tmp_path / "results.db")
    cache.close()
    cache.close()
    with pytest.raises(sqlite3.ProgrammingError):
        cache.get(KEY)


def test_what_is_no_database_shows_at_once(tmp_path: Path) -> None:
    path = tmp_path / "text.txt"
    path.write_text("no database at all, but long enough to be looked at " * 20, encoding="utf-8")
    with pytest.raises(sqlite3.DatabaseError, match=r"text\.txt: file is not a database"):
        SQLiteCache(path)
    with pytest.raises(sqlite3.OperationalError, match=r"\S: unable to open"):
        SQLiteCache(tmp_path / "missing" / "results.db")


def test_a_forgotten_sqlite_cache_closes_its_file(tmp_path: Path) -> None:
    cache = SQLiteCache(tmp_path / "results.db")
    connection = cache._connection
    del cache
    with pytest.raises(sqlite3.ProgrammingError):
        connection.execute("SELECT 1")


# Redis


def test_the_name_in_redis_is_prefix_and_hash(redis_server: RedisServer) -> None:
    with redis_server.client() as client:
        client.flushall()
        RedisCache(client, prefix="mine:").set(KEY, "1")
        digest = hashlib.sha256(json.dumps(KEY).encode()).hexdigest()
        assert client.keys() == [f"mine:{digest}".encode()]
        assert client.ttl(f"mine:{digest}") == -1  # for good


@pytest.mark.parametrize(
    ("own", "given", "longest"), [(60, None, 60_000), (60, 5, 5_000), (None, 0.0001, 1)]
)
def test_redis_ends_the_life_of_a_result(
    redis_server: RedisServer, own: float | None, given: float | None, longest: int
) -> None:
    with redis_server.client() as client:
        client.flushall()
        # What is told to the server is looked at, not how long it then waits.
        with client.monitor() as monitor:
            RedisCache(redis_server.client(), ttl=own).set(KEY, "1", given)
            commands = (str(entry["command"]) for entry in monitor.listen())
            command = next(command for command in commands if command.startswith("SET "))
    assert command.endswith(f" PX {longest}")


def test_an_async_client_gives_awaitables(redis_server: RedisServer) -> None:
    async def use() -> tuple[str | None, str | None]:
        client = redis.asyncio.Redis(host="127.0.0.1", port=redis_server.port)
        cache = RedisCache(client)
        assert cache.blocking is False
        stored = cache.set(("async", ""), '"ü"')
        assert stored is not None
        await stored
        found, missing = cache.get(("async", "")), cache.get(("other", ""))
        assert not isinstance(found, str | None)
        assert not isinstance(missing, str | None)
        values = await found, await missing
        await client.aclose()
        return values

    assert asyncio.run(use()) == ('"ü"', None)


def test_a_redis_that_dies_in_the_middle_raises(mortal_redis: RedisServer) -> None:
    with mortal_redis.client() as client:
        cache = RedisCache(client)
        assert cache.blocking is True
        cache.set(KEY, "1")
        assert cache.get(KEY) == "1"
        mortal_redis.kill()
        with pytest.raises(redis.ConnectionError):
            cache.get(KEY)
        with pytest.raises(redis.ConnectionError):
            cache.set(KEY, "2")


@pytest.mark.parametrize("begin", ["BEGIN IMMEDIATE", "BEGIN EXCLUSIVE"])
def test_a_file_that_another_process_writes_is_waited_for(tmp_path: Path, begin: str) -> None:
    path = tmp_path / "results.db"
    other = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    other.execute("CREATE TABLE other (x)")
    other.execute(begin)
    commit = threading.Timer(0.2, other.execute, ["COMMIT"])
    commit.start()
    with SQLiteCache(path) as cache:
        cache.set(("search", "{}"), "found")
        assert cache.get(("search", "{}")) == "found"
    commit.join()
    other.close()


@pytest.mark.skipif(os.name != "posix", reason="rights are those of POSIX")
def test_a_sqlite_file_is_its_owners_alone(tmp_path: Path) -> None:
    path = tmp_path / "results.db"
    before = os.umask(0)
    try:
        with SQLiteCache(path) as cache:
            cache.set(KEY, "1")
            files = sorted(tmp_path.iterdir())
            assert {each.stat().st_mode & 0o777 for each in files} == {0o600}
            assert files[0] == path
    finally:
        os.umask(before)
    path.chmod(0o640)  # what its owner chose stays
    with SQLiteCache(path):
        assert path.stat().st_mode & 0o777 == 0o640
    assert SQLiteCache(":memory:").get(KEY) is None


class Unreachable:
    """A client whose server is down, or is not."""

    def __init__(self) -> None:
        self.asked = 0
        self.error: Exception | None = redis.ConnectionError("refused")

    def get(self, name: str) -> bytes | None:
        self.asked += 1
        if self.error is not None:
            raise self.error
        return None

    def set(self, name: str, value: str, *, px: int | None = None) -> None:
        self.get(name)


class Later(Unreachable):
    """The same, awaited."""

    async def execute_command(self) -> None:
        """Shows that it is one of `redis.asyncio`."""

    async def get(self, name: str) -> bytes | None:  # type: ignore[override]
        return super().get(name)

    async def set(self, name: str, value: str, *, px: int | None = None) -> None:  # type: ignore[override]
        super().get(name)


@pytest.mark.parametrize("kind", [Unreachable, Later])
def test_a_redis_that_is_down_is_left_alone_for_a_while(kind: type[Unreachable]) -> None:
    client, now = kind(), [0.0]
    cache = RedisCache(client, clock=lambda: now[0])

    def use() -> None:
        async def awaited() -> None:
            for ask in (cache.get, partial(cache.set, value="1")):
                found = ask(KEY)
                if found is not None and not isinstance(found, str):
                    await found

        asyncio.run(awaited())

    for moment, asked in ((0.0, 1), (1.9, 1), (2.1, 2), (6.0, 2), (6.2, 3)):
        now[0] = moment
        with pytest.raises(redis.ConnectionError, match="refused"):
            use()
        assert client.asked == asked
    client.error = None
    now[0] = 100.0
    use()
    use()
    assert client.asked == 3 + 4
    # What is no matter of the connection is no reason to wait.
    client.error = redis.ResponseError("wrong kind")
    for _ in range(2):
        with pytest.raises(redis.ResponseError):
            use()
    assert client.asked == 7 + 2


def test_nobody_waits_where_a_redis_holds_up_others() -> None:
    now, holds, asked = [0.0], threading.Event(), threading.Event()

    class Hanging(Unreachable):
        def get(self, name: str) -> None:
            asked.set()
            holds.wait(30)

    cache = RedisCache(Hanging(), patience=1.0, clock=lambda: now[0])
    waiting = threading.Thread(target=cache.get, args=(KEY,), daemon=True)
    waiting.start()
    assert asked.wait(30)
    now[0] = 1.5
    with pytest.raises(TimeoutError, match="has not answered"):
        cache.get(KEY)
    holds.set()
    waiting.join(30)
    assert cache.get(KEY) is None

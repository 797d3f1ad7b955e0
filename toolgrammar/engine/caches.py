"""Caches results as JSON texts: in memory, in an SQLite file, or in Redis.

The key of a call is the pair `("get_weather", '{"city": "Oslo"}')`, its value a text such as `"21
°C"`, in JSON.
"""

from __future__ import annotations

import hashlib
import inspect
import json
import os
import sqlite3
import threading
import time
import weakref
from collections import OrderedDict
from contextlib import contextmanager, suppress
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, Self, TypeAlias

from toolgrammar.values.errors import check_type

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator

__all__ = ["Cache", "CacheKey", "MemoryCache", "RedisCache", "RedisClient", "SQLiteCache"]

CacheKey: TypeAlias = tuple[str, str]
"""The tool's name and the arguments as the model wrote them; see `exact.cache_key`."""

_TIMEOUT = 10.0
"""The seconds for which a statement waits while another process has locked the file."""
_LONGEST_PAUSE = 60.0
"""The longest time, in seconds, for which an unreachable server is not contacted."""
_PAUSE = 0.01
"""The seconds between two tries of a statement for which SQLite does not wait by itself."""


class Cache(Protocol):
    """The interface of a cache. Both methods may be async.

    An attribute `blocking = True` says that the methods do I/O: the async drivers then call them
    in a thread, and the sync ones where time is short. `patience` is the seconds after which
    they were abandoned; nor does a call beyond its tool's timeout.
    """

    def get(self, key: CacheKey) -> str | Awaitable[str | None] | None:
        """Returns the JSON text stored under the key, or None if there is none."""
        ...

    def set(self, key: CacheKey, value: str, ttl: float | None = None) -> Awaitable[None] | None:
        """Stores a JSON text for `ttl` seconds; None: for the cache's own time."""
        ...


class MemoryCache:
    """Keeps the most recently used results in this process. Thread-safe."""

    blocking: ClassVar[bool] = False

    def __init__(
        self,
        max_entries: int = 1024,
        ttl: float | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Sets up an empty cache.

        Args:
            max_entries: the most results that are kept; the least recently used one is dropped first.
            ttl: how many seconds a result lives, unless it is stored with its own figure.
            clock: gives the time in seconds.

        Raises:
            ValueError: `max_entries` is below 1, or `ttl` is not positive.
        """
        check_type("max_entries", max_entries, int)
        if max_entries < 1:
            raise ValueError(f"max_entries must be at least 1, got {max_entries!r}")
        self._max_entries = max_entries
        self._ttl = _checked_ttl(ttl)
        self._clock = clock
        self._lock = threading.Lock()
        self._entries: OrderedDict[CacheKey, tuple[str, float | None]] = OrderedDict()

    def get(self, key: CacheKey) -> str | None:
        """Returns the text stored under the key, and marks the entry as most recently used."""
        with self._lock:
            found = self._entries.get(key)
            if found is None:
                return None
            value, expires = found
            # Expired entries are dropped when they are read; others make room when it is needed.
            if expires is not None and self._clock() >= expires:
                del self._entries[key]
                return None
            self._entries.move_to_end(key)
            return value

    def set(self, key: CacheKey, value: str, ttl: float | None = None) -> None:
        """Stores a text as the most recently used entry."""
        life = self._ttl if ttl is None else ttl
        with self._lock:
            expires = None if life is None else self._clock() + life
            self._entries[key] = (value, expires)
            self._entries.move_to_end(key)
            if len(self._entries) > self._max_entries:
                self._entries.popitem(last=False)

    def __len__(self) -> int:
        with self._lock:
            return len(self._entries)


class SQLiteCache:
    """Keeps results in an SQLite file. Safe for several threads and processes."""

    blocking: ClassVar[bool] = True

    def __init__(
        self,
        path: str | os.PathLike[str],
        ttl: float | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """Opens the file, or creates it so that only its owner may read and write it.

        Args:
            path: the file; its folder must exist.
            ttl: how many seconds a result lives, unless it is stored with its own figure.
            clock: gives the time in seconds; every process on the file must agree about it.

        Raises:
            ValueError: `ttl` is not positive.
            sqlite3.Error: the file can't be opened, or is not a database.
        """
        self._ttl = _checked_ttl(ttl)
        self._clock = clock
        self._lock = threading.Lock()
        # Statements commit by themselves (no isolation level), and wait while another process has
        # locked the file.
        _make_private(path)
        try:
            self._connection = sqlite3.connect(
                path, timeout=_TIMEOUT, isolation_level=None, check_same_thread=False
            )
        except sqlite3.OperationalError as problem:
            raise sqlite3.OperationalError(f"{os.fspath(path)}: {problem}") from problem
        # The file is closed when an unclosed cache is garbage-collected, without a `__del__`.
        self._close = weakref.finalize(self, self._connection.close)
        try:
            self._prepare()
        except BaseException as problem:
            self._close()
            if isinstance(problem, sqlite3.DatabaseError):
                raise type(problem)(f"{os.fspath(path)}: {problem}") from problem
            raise

    def _prepare(self) -> None:
        """Creates the table if it is missing."""
        execute = self._connection.execute
        self._begin_log()
        # In this mode a power cut may lose the last results, which a cache can do without.
        execute("PRAGMA synchronous=NORMAL")
        execute(
            "CREATE TABLE IF NOT EXISTS results (tool_name TEXT NOT NULL, raw_arguments TEXT"
            " NOT NULL, value TEXT NOT NULL, expires REAL,"
            " PRIMARY KEY (tool_name, raw_arguments))"
        )
        # Only entries that expire are in the index, so that dropping them does not read the others.
        execute(
            "CREATE INDEX IF NOT EXISTS results_expire ON results (expires)"
            " WHERE expires IS NOT NULL"
        )

    def _begin_log(self) -> None:
        """Sets the mode in which readers don't wait for the writer.

        SQLite does not wait for a lock here: if two processes create the file at once, one of them
        gets an error (https://sqlite.org/rescode.html#busy), so the statement is tried again.
        """
        last = time.monotonic() + _TIMEOUT
        while True:
            try:
                self._connection.execute("PRAGMA journal_mode=WAL")
            except sqlite3.OperationalError as error:
                # The low byte is the primary code; the higher ones are its extension.
                is_busy = error.sqlite_errorcode & 0xFF == sqlite3.SQLITE_BUSY
                if not is_busy or time.monotonic() > last:
                    raise
                time.sleep(_PAUSE)
            else:
                return

    def get(self, key: CacheKey) -> str | None:
        """Returns what is stored under the key."""
        with self._lock:
            row = self._connection.execute(
                "SELECT value FROM results WHERE tool_name = ? AND raw_arguments = ?"
                " AND (expires IS NULL OR expires > ?)",
                (*key, self._clock()),
            ).fetchone()
        return None if row is None else str(row[0])

    def set(self, key: CacheKey, value: str, ttl: float | None = None) -> None:
        """Stores a value, and drops those whose time is over."""
        life = self._ttl if ttl is None else ttl
        with self._lock:
            now = self._clock()
            expires = None if life is None else now + life
            self._connection.execute(
                "INSERT OR REPLACE INTO results VALUES (?, ?, ?, ?)", (*key, value, expires)
            )
            # Dropped on writing, not on reading: a reader then never waits for a lock on the file.
            self._connection.execute("DELETE FROM results WHERE expires <= ?", (now,))

    def close(self) -> None:
        """Closes the file; later calls raise `sqlite3.ProgrammingError`."""
        with self._lock:
            self._close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class RedisClient(Protocol):
    """The methods that the cache needs of a Redis client (`redis.Redis`, `redis.asyncio.Redis`)."""

    def get(self, name: str) -> Any:
        """Returns the value of a name, as bytes or str, or None."""
        ...

    def set(self, name: str, value: str, *, px: int | None = None) -> Any:
        """Stores a value for `px` milliseconds, or permanently."""
        ...


class RedisCache:
    """Keeps results in Redis, through a client that the caller sets up and closes.

    After a failed connection the server is not contacted for a while, which grows with each failure
    up to a minute: until then the methods raise the client's last error at once.
    """

    def __init__(
        self,
        client: RedisClient,
        ttl: float | None = None,
        prefix: str = "toolgrammar:",
        *,
        patience: float | None = 1.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Sets up the cache; nothing is sent yet.

        Args:
            client: a client of the redis package. With one of `redis.asyncio` the methods are
                awaitable, and bound to the loop of the client.
            ttl: how many seconds a result lives, unless it is stored with its own figure.
            prefix: what the names in Redis begin with.
            patience: how many seconds a call waits for the server, whatever retries the client makes
                by itself; None: as long as that takes.
            clock: gives the time in seconds.

        Raises:
            ValueError: `ttl` is not positive.
            TypeError: the client has none of the methods that are needed.
        """
        self._ttl = _checked_ttl(ttl)
        if not (callable(getattr(client, "get", None)) and callable(getattr(client, "set", None))):
            raise TypeError(f"client must be one of the redis package, got {client!r:.80}")
        self._client = client
        self._prefix = prefix
        self._circuit = _Circuit(patience, clock)
        self.patience = patience
        # A client of `redis.asyncio` has coroutine functions, and does its waiting in the loop.
        self.blocking = not inspect.iscoroutinefunction(getattr(client, "execute_command", None))

    def get(self, key: CacheKey) -> str | Awaitable[str | None] | None:
        """Returns what is stored under the key."""
        with self._circuit.asked():
            found = self._client.get(self._name(key))
        # The answer of an async client comes later: success is recorded when it has come.
        if inspect.isawaitable(found):
            return self._later_text(found)
        self._circuit.answered()
        return _text(found)

    def set(self, key: CacheKey, value: str, ttl: float | None = None) -> Awaitable[None] | None:
        """Stores a value."""
        life = self._ttl if ttl is None else ttl
        # Redis refuses a life of 0 milliseconds.
        milliseconds = None if life is None else max(1, ceil(life * 1000))
        with self._circuit.asked():
            stored = self._client.set(self._name(key), value, px=milliseconds)
        if inspect.isawaitable(stored):
            return self._later_nothing(stored)
        self._circuit.answered()
        return None

    async def _later_text(self, found: Awaitable[bytes | str | None]) -> str | None:
        with self._circuit.asked():
            text = _text(await found)
        self._circuit.answered()
        return text

    async def _later_nothing(self, stored: Awaitable[object]) -> None:
        with self._circuit.asked():
            await stored
        self._circuit.answered()

    def _name(self, key: CacheKey) -> str:
        """Returns the name in Redis: any length of arguments gives a short one."""
        return self._prefix + hashlib.sha256(json.dumps(key).encode("ascii")).hexdigest()


class _Circuit:
    """A circuit breaker: after a failed connection, the server is not contacted for a while."""

    def __init__(self, patience: float | None, clock: Callable[[], float]) -> None:
        self._patience = patience
        self._clock = clock
        self._failures = 0
        self._until = 0.0
        self._error: Exception | None = None
        self._asked: dict[object, float] = {}
        """The start times of the requests that have no answer yet."""

    @contextmanager
    def asked(self) -> Iterator[None]:
        """Returns a context manager to enter while the server is asked.

        Raises:
            Exception: the client's last error, while the server is not contacted.
        """
        now = self._clock()
        if self._error is not None and now < self._until:
            # Without its traceback, which would grow each time that it is raised.
            raise self._error.with_traceback(None)
        # A server that drops packets raises nothing: while one request hangs, no other is sent.
        if self._patience is not None and any(
            now - since > self._patience for since in list(self._asked.values())
        ):
            raise TimeoutError("the server has not answered the calls before")
        # An object of its own: several threads may ask at the same time.
        mark = object()
        self._asked[mark] = now
        try:
            yield
        except Exception as error:
            if _is_unreachable(error):
                self._error = error
                self._failures += 1
                # 2, 4, 8 … seconds, up to a minute. The power has a bound, since floats have.
                self._until = self._clock() + min(_LONGEST_PAUSE, 2.0 ** min(self._failures, 10))
            raise
        finally:
            del self._asked[mark]

    def answered(self) -> None:
        """Records that the server has answered."""
        self._failures, self._error = 0, None


def _is_unreachable(error: Exception) -> bool:
    """Whether an error of a client is a connection error."""
    # By names: `redis.exceptions.ConnectionError` is not a subclass of Python's, and redis is no
    # dependency to import here.
    names = {kind.__name__ for kind in type(error).__mro__}
    return bool(names & {"OSError", "ConnectionError", "TimeoutError"})


def _make_private(path: str | os.PathLike[str]) -> None:
    """Makes a file that is not there yet, for its owner alone; its log gets the same rights."""
    if os.fspath(path) in {"", ":memory:"} or Path(path).exists():
        return
    # `O_EXCL`: a file that appeared meanwhile keeps the rights that its maker gave it.
    with suppress(OSError):  # SQLite says better what is wrong with the path
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))


def _checked_ttl(ttl: float | None) -> float | None:
    """Returns the time to live after checking it."""
    check_type("ttl", ttl, (int, float, type(None)))
    if ttl is not None and not ttl > 0:  # NaN is refused, too
        raise ValueError(f"ttl must be positive or None, got {ttl!r}")
    return ttl


def _text(found: bytes | str | None) -> str | None:
    """Returns a value of Redis as text, whichever way the client was told to give it."""
    return found.decode("utf-8") if isinstance(found, bytes) else found

"""What the tests of the adapters share."""

from collections.abc import Iterator

import pytest

from tests.units.engine.redis_server import PROGRAM, REASON, RedisServer


@pytest.fixture(scope="session")
def redis_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RedisServer]:
    """A Redis server for the whole run; nobody kills this one."""
    if PROGRAM is None:
        pytest.skip(REASON)
    server = RedisServer(tmp_path_factory.mktemp("redis"))
    yield server
    server.kill()


@pytest.fixture
def mortal_redis(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RedisServer]:
    """A Redis server that the test may kill."""
    if PROGRAM is None:
        pytest.skip(REASON)
    server = RedisServer(tmp_path_factory.mktemp("mortal"))
    yield server
    server.kill()

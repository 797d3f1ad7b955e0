"""A real Redis server for tests, on a free port, that can be killed."""

import shutil
import socket
import subprocess
import time
from pathlib import Path

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

PROGRAM = shutil.which("redis-server")
REASON = "redis-server is not installed (apt-get install redis-server)"


class RedisServer:
    """One server process without files of its own."""

    def __init__(self, folder: Path) -> None:
        assert PROGRAM is not None
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port: int = probe.getsockname()[1]
        options = ["--port", str(self.port), "--bind", "127.0.0.1", "--dir", str(folder)]
        self._process = subprocess.Popen(
            [PROGRAM, *options, "--save", "", "--appendonly", "no"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self._wait_until_up()

    def _wait_until_up(self) -> None:
        for _ in range(200):
            try:
                with self.client() as client:
                    client.ping()
            except redis.ConnectionError:
                assert self._process.poll() is None, "redis-server ended at once"
                time.sleep(0.05)
            else:
                return
        raise AssertionError("redis-server did not come up")

    def client(self, *, decode_responses: bool = False) -> redis.Redis:
        return redis.Redis(
            "127.0.0.1",
            self.port,
            decode_responses=decode_responses,
            retry=Retry(NoBackoff(), 0),
            socket_timeout=5,
        )

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()

"""Runs tests in a child of this process, which has loaded pytest and what the tests need of others.

The child alone imports toolgrammar, so a mutated file in the copy of the tree is what it gets.
"""

from __future__ import annotations

import importlib
import os
import resource
import signal
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Container, Sequence

SHARED_MODULES = ("hypothesis", "lark", "msgspec", "pydantic", "rich")
"""What is loaded once, before children are made."""
OPTIONS = ("-q", "--no-header", "-p", "no:cacheprovider", "-p", "no:xdist", "-m", "not slow")
MEMORY = 4 << 30
LEAST_SECONDS = 10.0
SLOWER = 5.0
"""A mutant may take so many times as long as the tests took before it counts as an endless loop."""
REAL_TIME = 20
"""Seconds of a clock for each second of the processor: other work may take most of a machine."""


@dataclass(frozen=True)
class Outcome:
    """How a run of tests ended."""

    killed: bool
    how: str
    seconds: float


class Chosen:
    """The pytest plugin that keeps the given tests, in their order, and those that are new."""

    def __init__(self, tests: Sequence[str], known: Container[str]) -> None:
        self._ranks = {test: rank for rank, test in enumerate(tests)}
        self._known = known

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Drops and sorts what was collected."""
        kept = [
            item for item in items if item.nodeid in self._ranks or item.nodeid not in self._known
        ]
        items[:] = sorted(kept, key=lambda item: self._ranks.get(item.nodeid, -1))


def prepare() -> None:
    """Loads what all children share."""
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    for name in SHARED_MODULES:
        importlib.import_module(name)


def run(root: Path, chosen: Chosen, files: Sequence[str], *, seconds: float) -> Outcome:
    """Runs chosen tests of files in a copy of the tree, until the first failure."""
    began = time.monotonic()
    limit = LEAST_SECONDS + SLOWER * seconds
    child = os.fork()
    if not child:
        _run_in_child(root, chosen, files, limit)
    status = _wait(child, began + REAL_TIME * limit)
    took = time.monotonic() - began
    if status is None or os.WIFSIGNALED(status):
        return Outcome(killed=True, how="time", seconds=took)
    code = os.WEXITSTATUS(status)
    how = {0: "survived", 1: "test", 2: "import", 5: "no test"}.get(code, f"pytest exit {code}")
    return Outcome(killed=code not in (0, 5), how=how, seconds=took)


def _run_in_child(root: Path, chosen: Chosen, files: Sequence[str], limit: float) -> None:
    code = 3
    try:
        os.setsid()
        output = os.open(root.parent / "last.log", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(output, 1)
        os.dup2(output, 2)
        resource.setrlimit(resource.RLIMIT_CPU, (int(limit) + 1, int(limit) + 6))
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        sys.dont_write_bytecode = True
        code = pytest_in(root, ["-x", *files], chosen)
    finally:
        sys.stdout.flush()
        os._exit(code)


def pytest_in(root: Path, arguments: Sequence[str], plugin: object) -> int:
    """Runs pytest in the copy of the tree, in this process."""
    os.chdir(root)
    sys.path[:] = [
        str(root),
        *(place for place in sys.path if Path(place or ".").resolve() != root),
    ]
    for name in [name for name in sys.modules if name.split(".")[0] in {"tests", "toolgrammar"}]:
        del sys.modules[name]
    importlib.invalidate_caches()
    plugins = ("-p", "toolgrammar.testing.plugin", "-p", "_hypothesis_pytestplugin")
    return int(pytest.main([*OPTIONS, *plugins, *arguments], plugins=[plugin]))


def _wait(child: int, until: float) -> int | None:
    """Returns the status with which a child ended, or None where it had to be ended."""
    while time.monotonic() < until:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return status
        time.sleep(0.02)
    os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return None

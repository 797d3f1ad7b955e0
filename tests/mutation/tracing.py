"""Writes down which lines each test runs, and how long it takes: `coverage` with a context a test."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

import coverage
import pytest

from tests.mutation import running

UNUSED = (
    *("tests/house", "tests/fleets", "tests/mutation", "tests/units/cli/test_bench_suites.py"),
    "tests/units/testing/test_plugin.py",
)
"""Tests of the tree, of installed packages, of the benchmarks, and of how pytest loads the plugin:
they fail where it is loaded by its name, and a test that fails unmutated would kill any mutant."""


class Traced:
    """The pytest plugin that gives each test a context of its own."""

    def __init__(self, measured: coverage.Coverage) -> None:
        self._measured = measured
        self._began = 0.0
        self.seconds: dict[str, float] = {}

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        """Begins a test."""
        self._measured.switch_context(nodeid)
        self._began = time.process_time()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Keeps the time of a test that passed."""
        if report.when == "call" and report.passed:
            self.seconds[report.nodeid] = time.process_time() - self._began


def main(root: Path, database: Path, seconds: Path, *tests: Path) -> None:
    """Runs all tests in the copy of the tree, or those that are named."""
    measured = coverage.Coverage(
        data_file=str(database), config_file=False, source=[str(root / "toolgrammar")]
    )
    measured.erase()
    traced = Traced(measured)
    running.prepare()
    measured.start()
    named = [str(test) for test in tests] or [f"--ignore={root / each}" for each in UNUSED]
    status = running.pytest_in(root, named, traced)
    measured.stop()
    measured.save()
    quickest = sorted(traced.seconds.items(), key=lambda test: test[1])
    seconds.write_text(json.dumps(dict(quickest), indent=0), encoding="utf-8")
    # Single tests may fail: they judge no mutant. With files that can't be imported none was run.
    if status not in {pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED}:
        sys.exit(status)


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))

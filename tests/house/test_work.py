"""The hot paths do not grow unseen: their work is counted, not timed."""

import json
import os
import subprocess
import sys
from functools import cache
from typing import Any

from tests.house import work
from tests.house.checkout import ROOT


@cache
def _counted() -> dict[str, Any]:
    """The counts of a fresh interpreter, in which no other test has learned anything."""
    run = subprocess.run(
        [sys.executable, "-m", "tests.house.work"],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONHASHSEED": "0"},
        stdout=subprocess.PIPE,
        encoding="utf-8",
        check=True,
    )
    found: dict[str, Any] = json.loads(run.stdout)
    return found


def _baseline() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(work.BASELINE.read_text(encoding="utf-8"))
    return found


def test_no_hot_path_grew() -> None:
    """Where the growth is meant, `make baseline` counts anew; say in the commit what it buys."""
    found, baseline = _counted(), _baseline()
    same = found["python"] == baseline["python"]
    allowed = work.GROWTH + (0 if same else work.OTHER_VERSIONS)
    assert work.grown(found["lines"], baseline["lines"], allowed) == {}


def test_every_hot_path_has_a_baseline() -> None:
    assert set(_counted()["lines"]) == set(_baseline()["lines"])


def test_growth_is_seen() -> None:
    def little() -> None:
        for _ in range(100):
            pass

    def more() -> None:
        for _ in range(112):
            pass

    one, other = (work.lines_run(job, __file__) for job in (little, more))
    assert work.lines_run(little, __file__) == one
    assert work.grown({"a": other}, {"a": one}, work.GROWTH) == {
        "a": f"{one} → {other} (+{other / one - 1:.0%})"
    }
    assert work.grown({"a": one}, {"a": one}, work.GROWTH) == {}

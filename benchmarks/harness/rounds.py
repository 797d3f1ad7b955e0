"""The least time of each of many jobs that take turns, for runs on a machine that others use too."""

from __future__ import annotations

import math
import time
from typing import TYPE_CHECKING

from harness import once

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from harness import Key

SLICE = 0.003
"""Seconds that one job runs in one round."""
PATIENCE = 0.5
"""Seconds after which a slow job has run often enough."""


def least(
    jobs: Mapping[Key, Callable[[], object]], *, rounds: int, limit: float = 20.0
) -> dict[Key, float]:
    """Returns the least microseconds of one run of each job; infinity for one over the limit.

    All jobs run in turn in every round, so a busy moment hits all alike; the least of all rounds is
    what the machine needs when nothing disturbs it. A job that takes seconds runs in fewer rounds.
    """
    found: dict[Key, float] = {}
    for key, job in jobs.items():
        found[key] = once(job, limit)
        if found[key] < PATIENCE * 5e5:  # past what only a first run does
            found[key] = min(found[key], *(_run(job, 1) for _ in range(2)))
    for turn in range(rounds):
        for key, job in jobs.items():
            seconds = found[key] / 1e6
            if math.isinf(seconds) or seconds * (turn + 1) > PATIENCE:
                continue
            found[key] = min(found[key], _run(job, max(1, min(1000, int(SLICE / seconds)))))
    return found


def _run(job: Callable[[], object], repeats: int) -> float:
    start = time.perf_counter()
    for _ in range(repeats):
        job()
    return (time.perf_counter() - start) / repeats * 1e6

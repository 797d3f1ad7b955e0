"""The least time of each of many jobs that take turns, for runs on a machine that others use too."""

from __future__ import annotations

import math
import signal
import time
from typing import TYPE_CHECKING

from harness import TookTooLong

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from harness import Key

SLICE = 0.003
"""Seconds that one job runs in one round."""
PATIENCE = 0.5
"""Seconds after which a slow job has run often enough."""
_HAS_ALARM = hasattr(signal, "SIGPROF")
# What other processes take is not counted; elsewhere that clock is too coarse.
_clock = time.process_time if _HAS_ALARM else time.perf_counter


def least(
    jobs: Mapping[Key, Callable[[], object]], *, rounds: int, limit: float = 20.0
) -> dict[Key, float]:
    """Returns the least microseconds of one run of each job; infinity for one over the limit.

    All jobs run in turn in every round, so a busy moment hits all alike; the least of all rounds is
    what the processor needs when nothing disturbs it. A job that takes seconds runs in fewer.
    """
    first: dict[Key, float] = {}
    for key, job in jobs.items():
        first[key] = bounded(job, limit)
        if first[key] < PATIENCE * 5e5:  # past what only a first run does
            first[key] = min(first[key], *(_run(job, 1) for _ in range(2)))
    found: dict[Key, float] = {}
    for turn in range(rounds):
        for key, job in jobs.items():
            seconds = max(first[key] / 1e6, 1e-6)  # the clock's own step
            if math.isinf(seconds) or seconds * (turn + 1) > PATIENCE:
                continue
            took = _run(job, max(1, min(1000, int(SLICE / seconds))))
            found[key] = min(found.get(key, math.inf), took)
    return {key: found.get(key, first[key]) for key in jobs}


def bounded(job: Callable[[], object], limit: float) -> float:
    """Returns the microseconds of one run, or infinity where it takes more seconds than that.

    Both are of the processor. A system without its alarm lets the job end.
    """
    if not _HAS_ALARM:
        return _run(job, 1)

    def stop(*_: object) -> None:
        raise TookTooLong

    previous = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, limit)
    try:
        return _run(job, 1)
    except TookTooLong:
        return math.inf
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, previous)


def _run(job: Callable[[], object], repeats: int) -> float:
    start = _clock()
    for _ in range(repeats):
        job()
    return (_clock() - start) / repeats * 1e6

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
WARMING = 0.01
"""Seconds that a job runs before it is measured."""
PATIENCE = 0.5
"""Seconds after which a slow job has run often enough."""
_HAS_ALARM = hasattr(signal, "SIGPROF")
# What other processes take is not counted; elsewhere that clock is too coarse. That of the thread:
# while an alarm is set, that of the process goes in steps of milliseconds.
_clock = time.thread_time if _HAS_ALARM else time.perf_counter


def least(
    jobs: Mapping[Key, Callable[[], object]], *, rounds: int, limit: float = 20.0
) -> dict[Key, float]:
    """Returns the least microseconds of one run of each job; infinity for one over the limit.

    All jobs run in turn in every round, so a busy moment hits all alike; the least of all rounds is
    what the processor needs when nothing disturbs it. A job that takes seconds runs in fewer. Many
    jobs at once are the better measurement: the rounds of each lie further apart.
    """
    first: dict[Key, float] = {}
    for key, job in jobs.items():
        first[key] = bounded(job, limit)
        spent, runs = 0.0, 0
        # Past what only the first runs do: a parser may compile what it meets again.
        while first[key] < PATIENCE * 5e5 and (runs < 2 or spent < WARMING * 1e6):
            took = bounded(job, limit)
            first[key] = min(first[key], took)
            spent, runs = spent + took, runs + 1
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
    start = _clock()
    try:
        job()
        return (_clock() - start) * 1e6
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

"""The one timing loop: the least time of each of many jobs that take turns.

A `Series` reads another text each time, made before the clock runs, so that nothing that a parser
remembers of an earlier text helps it. All series of one run read the same texts in the same round.
"""

from __future__ import annotations

import gc
import math
import signal
import time
from functools import partial
from typing import TYPE_CHECKING, TypeAlias, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

Key = TypeVar("Key")
Run: TypeAlias = "Callable[[], object]"

SLICE = 0.003
"""Seconds that one job runs in one round."""
WARMING = 0.01
"""Seconds that a job runs before it is measured."""
PATIENCE = 0.5
"""Seconds after which a slow job has run often enough."""
MOST_REPEATS = 1000
"""Runs of a job in one round, at most."""
MOST_FRESH = 64
"""Texts of a series in one round, at most: each is made for one run."""
_WARM_UP = 1_000_000
"""The number of the first text that a series reads to warm up; none of them is timed."""
_HAS_ALARM = hasattr(signal, "SIGPROF")
# What other processes take is not counted; elsewhere that clock is too coarse. That of the thread:
# while an alarm is set, that of the process goes in steps of milliseconds.
_clock = time.thread_time if _HAS_ALARM else time.perf_counter


class TookTooLong(BaseException):
    """A run is over its limit; nothing between the clock and the alarm catches it."""


class Series:
    """A job that reads a fresh text in every run; `make(number)` prepares the run of one."""

    def __init__(self, make: Callable[[int], Run]) -> None:
        self.make = make

    def runs(self, first: int, count: int) -> list[Run]:
        """Returns the runs of so many texts, from a number on."""
        return [self.make(number) for number in range(first, first + count)]


Job: TypeAlias = "Run | Series"


def least(jobs: Mapping[Key, Job], *, rounds: int, limit: float = 20.0) -> dict[Key, float]:
    """Returns the least microseconds of one run of each job; infinity for one over the limit.

    All jobs run in turn in every round, so a busy moment hits all alike; the least of all rounds is
    what the processor needs when nothing disturbs it. A job that takes seconds runs in fewer. Many
    jobs at once are the better measurement: the rounds of each lie further apart.
    """
    first = {key: _warmed(job, limit) for key, job in jobs.items()}
    # What is loaded by now is not scanned by the collector again.
    gc.collect()
    gc.freeze()
    found: dict[Key, float] = {}
    for turn in range(rounds):
        for key, job in jobs.items():
            seconds = max(first[key] / 1e6, 1e-6)  # the clock's own step
            if math.isinf(seconds) or seconds * (turn + 1) > PATIENCE:
                continue
            # A fresh text may be one that a parser does not end on, where it ended on those before.
            runs = _runs(job, turn, max(1, int(SLICE / seconds)))
            took = bounded(partial(_each, runs), limit) / len(runs)
            found[key] = min(found.get(key, math.inf), took)
    gc.unfreeze()
    return {key: found.get(key, first[key]) for key in jobs}


def bounded(job: Run, limit: float) -> float:
    """Returns the microseconds of one run, or infinity where it takes more seconds than that.

    Both are of the processor. A system without its alarm lets the job end.
    """

    def stop(*_: object) -> None:
        raise TookTooLong

    if _HAS_ALARM:
        previous = signal.signal(signal.SIGPROF, stop)
        signal.setitimer(signal.ITIMER_PROF, limit)
    start = _clock()
    try:
        job()
        return (_clock() - start) * 1e6
    except TookTooLong:
        return math.inf
    finally:
        if _HAS_ALARM:
            signal.setitimer(signal.ITIMER_PROF, 0)
            signal.signal(signal.SIGPROF, previous)


def _warmed(job: Job, limit: float) -> float:
    """Returns the least microseconds of a few runs: a parser may compile what it meets again."""
    number, spent, best = _WARM_UP, 0.0, math.inf
    while True:
        run = job.make(number) if isinstance(job, Series) else job
        took = bounded(run, limit)
        best, spent, number = min(best, took), spent + took, number + 1
        if best >= PATIENCE * 5e5 or (number - _WARM_UP > 2 and spent >= WARMING * 1e6):
            return best


def _runs(job: Job, turn: int, count: int) -> list[Run]:
    """Returns what a job runs in one round: its next texts, or the same run again and again."""
    if isinstance(job, Series):
        return job.runs(turn * MOST_FRESH, min(MOST_FRESH, count))
    return [job] * min(MOST_REPEATS, count)


def _each(runs: list[Run]) -> None:
    for run in runs:
        run()

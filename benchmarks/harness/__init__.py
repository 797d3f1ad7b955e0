"""What the scripts share: a clock that compares jobs fairly, and the words of a run."""

from __future__ import annotations

import argparse
import gc
import json
import math
import signal
import statistics
import time
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from toolgrammar.cli.bench_report import machine

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

Key = TypeVar("Key")

SLICE = 0.004
"""Seconds that one job runs in one round: short, so that a busy moment hits all jobs alike."""


def microseconds(jobs: Mapping[Key, Callable[[], object]], *, rounds: int) -> dict[Key, float]:
    """Returns the median time of one run of each job; every job runs once in every round."""
    repeats = {}
    for key, job in jobs.items():
        first = min(_seconds(job, 1), _seconds(job, 1))
        repeats[key] = max(1, min(2000, int(SLICE / max(first, 1e-7))))
    # What is loaded by now is not scanned by the collector again.
    gc.collect()
    gc.freeze()
    found: dict[Key, list[float]] = {key: [] for key in jobs}
    for _ in range(rounds):
        for key, job in jobs.items():
            found[key].append(_seconds(job, repeats[key]))
    gc.unfreeze()
    return {key: statistics.median(times) * 1e6 for key, times in found.items()}


def once(job: Callable[[], object], limit: float) -> float:
    """Returns the microseconds of one run, or infinity where it takes more than `limit` seconds."""

    def stop(*_: object) -> None:
        raise TookTooLong

    previous = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, limit)
    try:
        return _seconds(job, 1) * 1e6
    except TookTooLong:
        return math.inf
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, previous)


class TookTooLong(BaseException):
    """A run is over its limit; nothing between the clock and the alarm catches it."""


def _seconds(job: Callable[[], object], repeats: int) -> float:
    start = time.perf_counter()
    for _ in range(repeats):
        job()
    return (time.perf_counter() - start) / repeats


def options(about: str | None, *, rounds: int) -> argparse.Namespace:
    """Returns the options that every script takes."""
    parser = argparse.ArgumentParser(
        description=about, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=rounds, help="medians are over so many")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the figures there")
    return parser.parse_args()


def report(rows: list[dict[str, object]], file: Path | None) -> None:
    """Prints the figures as a table, below what they were measured on; writes them if wanted."""
    about = machine()
    print(", ".join(f"{name} {value}" for name, value in about.items()), end="\n\n")
    columns = list(rows[0])
    print("| " + " | ".join(columns) + " |")
    print("|" + "---|" * len(columns))
    for row in rows:
        print("| " + " | ".join(_shown(row[column]) for column in columns) + " |")
    if file is not None:
        text = json.dumps({"machine": about, "rows": rows}, indent=1, ensure_ascii=False)
        file.write_text(text + "\n", encoding="utf-8")


def _shown(value: object) -> str:
    if isinstance(value, float):
        return f"{value:,.0f}" if value >= 100 else f"{value:.2f}"
    return str(value)

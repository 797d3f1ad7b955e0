"""How long damaged JSON takes, how that grows, and what a stream of it costs."""

from __future__ import annotations

import math
import sys
from functools import partial
from typing import TYPE_CHECKING, Any

from harness.damage import DENSE, HOSTILE
from harness.rounds import bounded, least

from suites.recovery_readings import OURS, peers
from toolgrammar import JsonParser, recover_json

if TYPE_CHECKING:
    from collections.abc import Callable

LIMIT = 10.0
"""Seconds after which one run is cut off."""
PEER_LIMIT = 2.0
"""The same for other libraries where growth is measured."""
_SHORT, _LONG = 1 << 12, 1 << 16


def dense(rounds: int) -> list[dict[str, Any]]:
    """Returns the milliseconds that 64 KB of each kind of damage take in each library."""
    libraries: dict[str, Callable[[str], Any]] = {OURS: recover_json, **peers()}
    rows: list[dict[str, Any]] = []
    for name, write in DENSE.items():
        text = write(_LONG)
        jobs = {library: partial(_quietly, read, text) for library, read in libraries.items()}
        reads = {library: _reads(read, text) for library, read in libraries.items()}
        times = least(jobs, rounds=rounds, limit=LIMIT)
        for library, microseconds in times.items():
            figure = None if math.isinf(microseconds) else microseconds / 1000
            row = {"damage": name, "library": library, "ms": figure, "reads": reads[library]}
            rows.append(row)
        print(f"speed: {name} …", file=sys.stderr, flush=True)
    return rows


def _quietly(read: Callable[[str], Any], text: str) -> None:
    try:
        read(text)
    except Exception:
        return


def _reads(read: Callable[[str], Any], text: str) -> bool:
    """Whether a library gives a value of such a text: refusing it at once is fast, too."""
    try:
        read(text)
    except Exception:
        return False
    return True


def growth(longest: int) -> list[dict[str, Any]]:
    """Returns how the time grows from 4 KB on: an exponent of 1 is linear.

    Ours is measured up to `longest`, the others up to 64 KB.
    """
    texts: dict[str, Callable[[int], str]] = {
        **DENSE,
        **{name: partial(_repeated, *unit) for name, unit in HOSTILE.items()},
    }
    rows: list[dict[str, Any]] = []
    for name, write in texts.items():
        sizes = (_SHORT, _LONG, longest)
        times = [_best(recover_json, write(size), LIMIT) for size in sizes]
        row: dict[str, Any] = {"text": name, "longest": longest}
        row |= dict(zip(("4 KB, ms", "64 KB, ms", "longest, ms"), times, strict=True))
        row[OURS] = _exponent(times[0], times[2], longest)
        for library, read in peers().items():
            short, long = (_best(read, write(size), PEER_LIMIT) for size in (_SHORT, _LONG))
            row[library] = _exponent(short, long, _LONG)
        rows.append(row)
        print(f"growth: {name} …", file=sys.stderr, flush=True)
    return rows


def _exponent(short: float, long: float, size: int) -> float | None:
    """Returns None where a run took too long."""
    if math.isinf(long) or math.isinf(short):
        return None
    return math.log(long / short) / math.log(size / _SHORT)


def _repeated(begin: str, unit: str, size: int) -> str:
    return begin + unit * (size // len(unit))


def _best(read: Callable[[str], Any], text: str, limit: float) -> float:
    """Returns the milliseconds of the best of three runs; of a long text there is one."""
    job = partial(_quietly, read, text)
    found = bounded(job, limit)
    if len(text) <= 1 << 17 and not math.isinf(found):
        found = min(found, bounded(job, limit), bounded(job, limit))
    return found / 1000


def streams(rounds: int) -> list[dict[str, Any]]:
    """Returns what 32 KB cost in deltas of four characters, beside the whole text."""
    rows: list[dict[str, Any]] = []
    for name, write in DENSE.items():
        text = write(1 << 15)
        pieces = [text[start : start + 4] for start in range(0, len(text), 4)]
        jobs = {"whole": partial(recover_json, text), "stream": partial(_streamed, pieces)}
        times = least(jobs, rounds=rounds, limit=LIMIT)
        whole, stream = times["whole"] / 1000, times["stream"] / 1000
        rows.append({"damage": name, "whole": whole, "stream": stream, "ratio": stream / whole})
    return rows


def _streamed(pieces: list[str]) -> None:
    parser = JsonParser()
    for piece in pieces:
        parser.feed(piece)
    parser.close()

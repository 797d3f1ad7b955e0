"""Measures the time of reading messages, whole and streamed; all formats alternate in a round."""

from __future__ import annotations

import gc
import time
from typing import TYPE_CHECKING, Final

from toolgrammar.parsing.parser import Parser
from toolgrammar.parsing.whole import parse

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from toolgrammar.catalogue.format import Format
    from toolgrammar.comparison.carried import Wire
    from toolgrammar.values.calls import ParseResult

DELTA: Final = 4
"""Characters of a streamed delta."""
_MESSAGES: Final = 10
_SLICE: Final = 0.002
"""Seconds that one job runs in one round."""
# What other processes take is not counted, where that clock is fine enough.
_IS_FINE = time.get_clock_info("process_time").resolution < 1e-5
_clock = time.process_time if _IS_FINE else time.perf_counter


def speeds(
    formats: Sequence[tuple[Format, Sequence[Wire], Wire | None]],
    rounds: int,
    tell: Callable[[int], None],
) -> list[dict[str, float]]:
    """Returns for each format the µs of a message and of a delta, of some messages and a long one.

    Args:
        formats: each with its messages, and with a long one where it carries it.
        rounds: in each of which every format takes its turn.
        tell: is called with the number of each round.
    """
    jobs: list[tuple[int, str, Callable[[], object], float]] = []
    for index, (form, wires, long) in enumerate(formats):
        # Evenly from all shapes.
        some = wires[:: max(1, len(wires) // _MESSAGES)][:_MESSAGES]
        for ending, chosen in (("us", some), ("long_us", [long] if long else [])):
            if chosen:
                # Rounded up: the last delta may be shorter.
                deltas = sum(-(-len(wire.text) // DELTA) for wire in chosen)
                # By the message and by the delta: formats have messages of other lengths.
                jobs.append((index, f"parse_{ending}", _whole(form, chosen), len(chosen)))
                jobs.append((index, f"delta_{ending}", _streamed(form, chosen), deltas))
    best = _least([job for _, _, job, _ in jobs], rounds, tell)
    found: list[dict[str, float]] = [{} for _ in formats]
    for seconds, (index, name, _, parts) in zip(best, jobs, strict=True):
        found[index][name] = seconds * 1e6 / parts
    return found


def _least(
    jobs: Sequence[Callable[[], object]], rounds: int, tell: Callable[[int], None]
) -> list[float]:
    # The first runs fill the caches and say how often a job fills a slice of a round.
    firsts = (min(_seconds(job, 1) for _ in range(3)) for job in jobs)
    # The clock's own steps, and what a loop costs, must be small beside what is timed.
    repeats = [max(1, min(500, int(_SLICE / max(first, 1e-6)))) for first in firsts]
    # Existing objects are excluded from garbage collection, which any of the jobs may trigger; those
    # that the caller excluded stay so.
    is_frozen = gc.get_freeze_count() > 0
    gc.collect()
    gc.freeze()
    best = [float("inf")] * len(jobs)
    # In turn, so that a slow spell of the machine meets all alike.
    for number in range(rounds):
        tell(number + 1)
        for index, job in enumerate(jobs):
            # The least, not the mean: other work on the machine only ever makes a run longer.
            best[index] = min(best[index], _seconds(job, repeats[index]))
    if not is_frozen:
        gc.unfreeze()
    return best


def _whole(form: Format, wires: Sequence[Wire]) -> Callable[[], object]:
    def job() -> None:
        for wire in wires:
            _read(parse(wire.text, format=form, tools=wire.message.tools))

    return job


def _streamed(form: Format, wires: Sequence[Wire]) -> Callable[[], object]:
    cut: list[tuple[Mapping[str, object] | Sequence[object], list[str]]] = [
        (wire.message.tools, [wire.text[at : at + DELTA] for at in range(0, len(wire.text), DELTA)])
        for wire in wires
    ]

    def job() -> None:
        for tools, pieces in cut:
            parser = Parser(form, tools=tools)
            for piece in pieces:
                parser.feed(piece)
            parser.close()
            _read(parser.result)

    return job


def _read(result: ParseResult) -> list[tuple[object, ...]]:
    """Takes what callers take; what is decoded late is decoded here."""
    return [(call.name, call.arguments, result.text, call.status) for call in result.calls]


def _seconds(job: Callable[[], object], repeats: int) -> float:
    start = _clock()
    for _ in range(repeats):
        job()
    return (_clock() - start) / repeats

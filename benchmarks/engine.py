"""What does the engine add to a call: of a tool that does nothing, beside a bare validated call?

The floor is the same function behind pydantic's `validate_call`, called with the same arguments:
what anybody pays who checks what a model wrote. `run_sync` does that and all its other steps,
without arguments, with one integer, and with three arguments of which one has to be converted. The
goal is 12 times the floor without a cache and 20 times with a memory cache, both without sinks. A
hit costs a look-up and no invocation; a miss is a tool whose results are stored, under a key that
is not there each time.
"""

from __future__ import annotations

from itertools import cycle
from typing import TYPE_CHECKING, Any

from harness import options, report
from harness.rounds import least
from pydantic import validate_call

from toolgrammar import ToolCall
from toolgrammar.engine import Engine, MemorySink

if TYPE_CHECKING:
    from collections.abc import Callable

GOALS = {"no cache": 12.0, "cache, hit": 20.0, "cache, miss": 20.0}
"""Times the floor, at most."""


def none() -> None:
    """Does nothing with nothing."""


def one(number: int) -> None:
    """Does nothing with an integer."""


def three(name: str, number: int, flag: bool = False) -> None:  # noqa: FBT001, FBT002
    """Does nothing with three arguments."""


ARGUMENTS: dict[str, tuple[Callable[..., Any], dict[str, Any]]] = {
    "none": (none, {}),
    "one integer": (one, {"number": 7}),
    "three, one converted": (three, {"name": "Oslo", "number": "7", "flag": True}),
}


def jobs_of(tool: Callable[..., Any], arguments: dict[str, Any]) -> dict[str, Callable[[], object]]:
    """Returns the floor and the ways through the engine."""
    bare = validate_call(tool)
    plain, cached = Engine([tool]), Engine([tool], cache=True)
    traced = Engine([tool], trace=MemorySink())
    call = ToolCall(tool.__name__, arguments, raw_arguments="{}")
    # More calls than the cache keeps: each has gone when its turn comes again.
    several = cycle(
        [ToolCall(tool.__name__, arguments, raw_arguments=str(number)) for number in range(4_000)]
    )
    missed = Engine([tool], cache=True)

    return {
        "floor": lambda: bare(**arguments),
        "no cache": lambda: plain.run_sync(call),
        "cache, hit": lambda: cached.run_sync(call),
        "cache, miss": lambda: missed.run_sync(next(several)),
        "one sink": lambda: traced.run_sync(call),
    }


def main() -> None:
    """Prints a row for each way of each tool."""
    given = options(__doc__, rounds=200)
    jobs = {
        (name, way): job
        for name, (tool, arguments) in ARGUMENTS.items()
        for way, job in jobs_of(tool, arguments).items()
    }
    times = least(jobs, rounds=given.rounds)
    rows: list[dict[str, object]] = []
    for (name, way), spent in times.items():
        ratio = spent / times[name, "floor"]
        goal = GOALS.get(way)
        met = "" if goal is None or ratio <= goal else " missed"
        rows.append(
            {
                "arguments": name,
                "way": way,
                "µs": spent,
                "÷ floor": ratio,
                "goal": "" if goal is None else f"≤ {goal:g}{met}",
            }
        )
    report(rows, given.json)


if __name__ == "__main__":
    main()

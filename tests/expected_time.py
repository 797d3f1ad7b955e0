"""Prints how long the tests will take on this machine: `About 4 minutes on 2 cores, as busy as now`.

`python -m tests.expected_time sixth`: a short reading is timed, since machines differ by a factor of
three, and compared with the time that it took where the tests were timed.
"""

from __future__ import annotations

import os
import sys
import time
from typing import Final

from toolgrammar import parse

_SECONDS: Final = {"sixth": 255, "third": 410, "all": 640, "laws": 1650}
"""The time of `make test`, of all formats, and of `make laws` on `_CORES` of that machine."""
_CORES: Final = 2
_READING: Final = 0.14
"""The seconds that `_timed` returned there."""
_TEXT: Final = '<tool_call>{"name": "tide", "arguments": {"place": "Narvik", "days": [1, 2,]}}'
_TIMES, _ATTEMPTS = 200, 5


def _timed() -> float:
    """Returns the seconds that it takes to read a damaged message some hundred times."""
    began = time.perf_counter()
    for _ in range(_TIMES):
        parse(_TEXT, "hermes")
    return time.perf_counter() - began


def main(what: str) -> None:
    """Prints the estimate for one of the keys of `_SECONDS`."""
    cores = os.cpu_count() or 1
    seconds = _SECONDS[what] * min(_timed() for _ in range(_ATTEMPTS)) / _READING * _CORES / cores
    minutes = max(1, round(seconds / 60))
    sys.stdout.write(f"About {minutes} minutes on {cores} cores, as busy as they are now.\n")


if __name__ == "__main__":
    main(sys.argv[1])

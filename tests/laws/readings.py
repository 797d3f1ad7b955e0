"""What is read in each example of each page, to the last detail, as a short digest.

Pages say which calls, codes and texts are expected; spans, messages, edits and events are in this
record. `python -m tests.laws.readings` writes it anew: what changed shows by the
name of its example, and has to be meant. Example of a line: `"hermes": {"one-call": "3f2a9c01be"}`.
"""

import json
import random
from dataclasses import replace
from functools import cache
from hashlib import sha256
from pathlib import Path
from unittest.mock import patch

import toolgrammar
from tests.laws.every_case import every_page_case
from toolgrammar.core.machine.retry_budget import RetryBudget
from toolgrammar.testing import Case
from toolgrammar.testing.readings import Reading, read, seen
from toolgrammar.testing.small_damage import small_damage

RECORD = Path(__file__).with_name("readings.json")
_DIGITS = 10
_PIECE = 3
"""Characters of a piece of a stream."""


def described(case: Case) -> str:
    """Writes out what is read of an example in the ways that a caller may have it read.

    Whole, by its format and by `auto`; whole with small damage, twice; and cut off, in pieces of
    a few characters with the places in the text at which events came.
    """
    lines = [*_seen(case), "auto:", *_seen(replace(case, format="auto"))]
    for attempt in range(2 if case.text else 0):
        draw = random.Random(f"{case.text} {attempt}")
        text = small_damage(case.text, list(range(len(case.text))), draw)
        lines += [f"damaged: {text!r}", *_seen(replace(case, text=text))]
    text = case.text[: random.Random(case.text).randint(0, len(case.text))]
    pieces = [text[at : at + _PIECE] for at in range(0, len(text), _PIECE)]
    # The driver and the shortcut do not hold the same white space back, and which of them reads
    # would depend on what the process read of the format before.
    with patch.object(RetryBudget, "tries", lambda _: True):
        reading = read(case, pieces, finish_reason="length")
    return "\n".join([*lines, f"cut: {text!r}", *_written(reading), str(sorted(set(reading.fed)))])


def _seen(case: Case) -> list[str]:
    return _written(read(case, [case.text]))


def _written(reading: Reading) -> list[str]:
    """Writes a reading out. The grammar's digest is left out: a comment there changes none."""
    result, events = seen(replace(reading, result=replace(reading.result, digest="")))
    return [*events, result]


def digest(case: Case) -> str:
    """Returns ten hex digits that change with anything that is read."""
    return sha256(described(case).encode("utf-8", "surrogatepass")).hexdigest()[:_DIGITS]


def readings(format_id: str) -> dict[str, str]:
    """Returns the digest of each example of a page, by its name."""
    return {case.id.rpartition("::")[2]: digest(case) for case in every_page_case(format_id)}


@cache
def recorded() -> dict[str, dict[str, str]]:
    """Returns the digests as they were when they were last looked at."""
    found: dict[str, dict[str, str]] = json.loads(RECORD.read_text(encoding="utf-8"))
    return found


def _write() -> None:
    before = recorded() if RECORD.is_file() else {}
    every = {format_id: readings(format_id) for format_id in sorted(toolgrammar.formats)}
    for format_id, found in every.items():
        for name, now in found.items():
            if before.get(format_id, {}).get(name, now) != now:
                print(f"{format_id}: {name}")  # noqa: T201 - the command says what changed
    RECORD.write_text(json.dumps(every, indent=1) + "\n", encoding="utf-8", newline="\n")


if __name__ == "__main__":
    _write()

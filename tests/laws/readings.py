"""What is read in each example of each page, to the last detail, as a short digest.

Pages say which calls, codes and texts are expected; spans, messages, edits and events are in this
record. `python -m tests.laws.readings` writes it anew: what changed shows by the
name of its example, and has to be meant.
"""

import random
from dataclasses import replace
from unittest.mock import patch

from tests.laws.records import Record
from toolgrammar.core.machine.retry_budget import RetryBudget
from toolgrammar.testing import Case
from toolgrammar.testing.readings import Reading, read, seen
from toolgrammar.testing.small_damage import small_damage

_PIECE = 3
"""Characters of a piece of a stream."""


def described(case: Case) -> dict[str, str]:
    """Writes out what is read of an example in the ways that a caller may have it read.

    Whole, by its format and by `auto`; whole with small damage, twice; and cut off, in pieces of
    a few characters with the places in the text at which events came.
    """
    damaged = []
    for attempt in range(2 if case.text else 0):
        draw = random.Random(f"{case.text} {attempt}")
        text = small_damage(case.text, list(range(len(case.text))), draw)
        damaged += [repr(text), _seen(replace(case, text=text))]
    text = case.text[: random.Random(case.text).randint(0, len(case.text))]
    pieces = [text[at : at + _PIECE] for at in range(0, len(text), _PIECE)]
    # The driver and the shortcut do not hold the same white space back, and which of them reads
    # would depend on what the process read of the format before.
    with patch.object(RetryBudget, "tries", lambda _: True):
        reading = read(case, pieces, finish_reason="length")
    return {
        "whole": _seen(case),
        "auto": _seen(replace(case, format="auto")),
        "damaged": "\n".join(damaged),
        "cut": "\n".join([repr(text), _written(reading), str(sorted(set(reading.fed)))]),
    }


def _seen(case: Case) -> str:
    return _written(read(case, [case.text]))


def _written(reading: Reading) -> str:
    """Writes a reading out. The grammar's digest is left out: a comment there changes none."""
    result, events = seen(replace(reading, result=replace(reading.result, digest="")))
    return "\n".join([*events, result])


RECORD = Record("readings", described)

if __name__ == "__main__":
    RECORD.write()

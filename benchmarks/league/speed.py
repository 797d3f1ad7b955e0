"""How long a message takes each reader: one call with a body of 300 B that never comes twice.

`{"reader": "vLLM", "formats": 41, "µs": 36.1, "times toolgrammar": 5.2}` is a row: the median over
the formats that it reads, and the geometric mean of its times over toolgrammar's in the same
formats. Only a reader that reads what was written is timed, at once, its arguments decoded.
"""

from __future__ import annotations

import math
import statistics
from functools import partial
from typing import TYPE_CHECKING, Any

from harness.peer_messages import PEER_TOOLS
from harness.rounds import Series, least
from peers.stand_in import Tokenizer
from peers.wires import WIRES
from suites.parsers_speed import Messages

from league.fixtures import Fixture
from league.run import guesses, tokens_of
from toolgrammar import formats

if TYPE_CHECKING:
    from collections.abc import Sequence

    from league.readers import Entrant

SIZE = 300
_JUDGED = 4
"""Messages that a reader has to read right to be timed."""
Row = dict[str, Any]


def speeds(entrants: Sequence[Entrant], rounds: int) -> list[Row]:
    """Returns microseconds a message, by reader and format."""
    jobs: dict[tuple[str, str], Series] = {}
    for format_id in WIRES:
        tokenizer = Tokenizer(tokens_of(format_id))
        messages = Messages(formats[format_id], SIZE, "batch", tokenizer)
        if not messages.can_be_written:
            continue
        for entrant in entrants:
            job = _job(entrant, format_id, tokenizer, messages)
            if job is not None:
                jobs[entrant.name, format_id] = job
    found = least(jobs, rounds=rounds)
    return [{"reader": name, "format": form, "µs": us} for (name, form), us in found.items()]


def _job(
    entrant: Entrant, format_id: str, tokenizer: Tokenizer, messages: Messages
) -> Series | None:
    """Returns what reads messages of a format, or None for a reader that reads them wrongly."""
    if not entrant.is_timed or (entrant.is_guess and not guesses(entrant, format_id)):
        return None
    text = messages.prepared(0).text
    fixture = Fixture(
        "", "", format_id, text, lambda _: ("pass", ""), tools=tuple(PEER_TOOLS), reasoning={}
    )
    try:
        reader = entrant.make(fixture, tokenizer)
        if reader is None:
            return None
        for number in range(_JUDGED):
            made = messages.prepared(number)
            if reader.whole(made.text, made.ids) != made.calls:
                return None
    except Exception:
        return None  # it reads the fixtures of the suites, or raises there, in sight
    return Series(partial(messages.run, reader))


def summary(rows: Sequence[Row]) -> list[Row]:
    """Returns a row for each reader, over the formats that it reads."""
    ours = {row["format"]: row["µs"] for row in rows if row["reader"] == "toolgrammar"}
    found: list[Row] = []
    for name in dict.fromkeys(row["reader"] for row in rows):
        times = {row["format"]: row["µs"] for row in rows if row["reader"] == name}
        ratios = [times[form] / ours[form] for form in times if form in ours]
        found.append(
            {
                "reader": name,
                "formats": len(times),
                "µs": statistics.median(times.values()),
                "times toolgrammar": math.exp(statistics.fmean(map(math.log, ratios)))
                if ratios
                else None,
            }
        )
    return found

"""How long does one call take, at once and per streamed delta, beside the least possible?

One call with a short and a long string argument, 300 B, 4 KB and 32 KB of message in all. *Batch*
is `parse` of the whole message; a *delta* is one `feed` of four characters (special tokens whole),
the parser's making and closing shared out. The *floor* finds opener and closer and decodes what is
between: `json.loads`, for tags `findall`; for a delta it joins all pieces and does that once.
Each job reads name, arguments, text and status. All run in turn in each round; medians are kept.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from harness import microseconds, options, report
from harness.messages import FLOORS, PATH, TOOLS, WRITERS, Calls, deltas, message

from toolgrammar import Parser, ParseResult, parse

if TYPE_CHECKING:
    from collections.abc import Callable

SIZES = {"300 B": 300, "4 KB": 4096, "32 KB": 32768}
GOALS = {
    ("hermes", "300 B"): 4.5,
    ("hermes", "4 KB"): 2.0,
    ("hermes", "32 KB"): 1.3,
    ("qwen3_xml", "300 B"): 7.0,
    ("qwen3_xml", "4 KB"): 3.0,
    ("qwen3_xml", "32 KB"): 2.0,
}
"""Batch time over the floor, at most."""


def batch(format_id: str, text: str) -> Calls:
    """Reads a message at once."""
    return read(parse(text, format=format_id, tools=TOOLS))


def streamed(format_id: str, pieces: list[str]) -> Calls:
    """Reads a message piece by piece."""
    parser = Parser(format_id, tools=TOOLS)
    for piece in pieces:
        parser.feed(piece)
    parser.close()
    return read(parser.result)


def read(result: ParseResult) -> Calls:
    """Takes what callers take."""
    return [(call.name, call.arguments, result.text, call.status) for call in result.calls]


def joined(floor: Callable[[str], Calls], pieces: list[str]) -> Calls:
    """Reads a message when all pieces are there."""
    return floor("".join(pieces))


def main() -> None:
    """Prints a row for each format and size."""
    given = options(__doc__, rounds=41)
    jobs: dict[tuple[str, str, str], Callable[[], object]] = {}
    counts: dict[tuple[str, str], int] = {}
    for format_id in WRITERS:
        floor = FLOORS[format_id]
        for label, size in SIZES.items():
            text, long = message(format_id, size)
            pieces = deltas(text)
            counts[format_id, label] = len(pieces)
            work: dict[str, Callable[[], Calls]] = {
                "batch": partial(batch, format_id, text),
                "floor": partial(floor, text),
                "stream": partial(streamed, format_id, pieces),
                "joined": partial(joined, floor, pieces),
            }
            want = [("save_note", {"path": PATH, "body": long}, "", "complete")]
            for kind, job in work.items():
                if job() != want:
                    raise SystemExit(f"{format_id}, {label}: {kind} read something else")
                jobs[format_id, label, kind] = job
    times = microseconds(jobs, rounds=given.rounds)
    rows: list[dict[str, object]] = []
    for (format_id, label), count in counts.items():
        took = {
            kind: times[format_id, label, kind] for kind in ("batch", "floor", "stream", "joined")
        }
        rows.append(
            {
                "format": format_id,
                "size": label,
                "batch, µs": took["batch"],
                "floor, µs": took["floor"],
                "batch ÷ floor": took["batch"] / took["floor"],
                "goal": f"≤ {GOALS[format_id, label]:g}",
                "delta, µs": took["stream"] / count,
                "floor of a delta, µs": took["joined"] / count,
            }
        )
    report(rows, given.json)


if __name__ == "__main__":
    main()

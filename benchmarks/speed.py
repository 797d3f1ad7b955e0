"""How long does one call take, at once and per streamed delta, beside the least possible?

One call with a short and a long string argument, 300 B, 4 KB and 32 KB of message in all. *Batch*
is `parse` of the whole message; a *delta* is one `feed` of four characters (special tokens whole),
the parser's making and closing shared out. The *floor* finds opener and closer and decodes what is
between: `json.loads`, for tags `findall`; for a delta it joins all pieces and does that once.
Each job reads name, arguments, text and status. Every message is read once: its long argument is
cut from the standard library's source, a fresh place each time. All run in turn in each round; the
least is kept.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, TypeVar

from harness import options, report
from harness.messages import FLOORS, PATH, TOOLS, WRITERS, Calls, deltas, message
from harness.rounds import Job, Series, least

from toolgrammar import Parser, ParseResult, parse

if TYPE_CHECKING:
    from collections.abc import Callable

Given = TypeVar("Given")
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


def series(
    format_id: str, size: int, read_message: Callable[[Given], Calls], cut: Callable[[str], Given]
) -> Series:
    """Returns a job that reads the messages of a size, each once.

    Args:
        format_id: the format of the messages.
        size: their bytes.
        read_message: reads one, or its pieces.
        cut: makes of a message what `read_message` takes, before the clock runs.

    Raises:
        SystemExit: a message is read otherwise than it was written.
    """

    def make(number: int) -> Callable[[], Calls]:
        return partial(read_message, cut(message(format_id, size, number)[0]))

    for number in range(-8, 0):
        text, long = message(format_id, size, number)
        want = [("save_note", {"path": PATH, "body": long}, "", "complete")]
        if read_message(cut(text)) != want:
            raise SystemExit(f"{format_id}, {size} B: read something else in {text!r}")
    return Series(make)


def main() -> None:
    """Prints a row for each format and size."""
    given = options(__doc__, rounds=41)
    jobs: dict[tuple[str, str, str], Job] = {}
    counts: dict[tuple[str, str], float] = {}
    for format_id in WRITERS:
        floor = FLOORS[format_id]
        for label, size in SIZES.items():
            found = [len(deltas(message(format_id, size, number)[0])) for number in range(8)]
            counts[format_id, label] = sum(found) / len(found)
            for kind, job in {
                "batch": series(format_id, size, partial(batch, format_id), str),
                "floor": series(format_id, size, floor, str),
                "stream": series(format_id, size, partial(streamed, format_id), deltas),
                "joined": series(format_id, size, partial(joined, floor), deltas),
            }.items():
                jobs[format_id, label, kind] = job
    times = least(jobs, rounds=given.rounds)
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

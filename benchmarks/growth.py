"""Does a character cost the same in a long message as in a short one, whatever it says?

The first table streams one call with a long argument in deltas of four characters, at 4 KB and at
1 MB: the cost of a delta may grow by 1.3 at most. The second feeds hostile text, 64 KB and 1 MB of
it: at once, and in deltas of four characters. Work is linear where the last columns stay near 1.

The third (`--formats`, `--all`) streams hostile texts of every format one character at a time, and
reads each with the format as a list of one: texts made of an example of the format, in which a run,
an opener, a closer or a key is repeated at each place of the call. It prints the shape of each
format that costs most, and the one that grows most: over `--size` characters and a quarter of them,
in one run. The goals are 60 µs a character, and a growth of 6.
"""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING, Any

from harness import options_of, report
from harness.messages import TOOLS, WRITERS, deltas, message
from harness.rounds import Series, bounded, least

from toolgrammar import Parser, formats
from toolgrammar.testing.growing import shapes_of

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

    from toolgrammar.testing.growing import Shape

_AGAIN = 2.0
"""Seconds up to which a run is made again, and the fastest one counts."""
_MOST_RUNS = 5
"""Runs of a text that misses a goal: a machine that others share is slow for a moment."""
MOST_COST = 60
"""The goal of the third table: microseconds a character."""
MOST_GROWTH = 6
"""The goal of the third table: how the cost grows where the text grows by four."""
LIMIT = 20.0
"""Seconds after which one run is cut off and shown as `inf`."""
OPENERS = {"hermes": '<tool_call>\n{"name": "save_note"', "qwen3_xml": "<function=save_note>\n"}
VALUES = {
    "hermes": '<tool_call>\n{"name": "save_note", "arguments": {"body": "',
    "qwen3_xml": "<tool_call>\n<function=save_note>\n<parameter=body>\n",
}
HOSTILE = {
    "braces": "{",
    "less-than signs": "<",
    "backslashes": "\\",
    "openers": "<tool_call>\n",
    "white space": " ",
}
"""What is repeated; each stands in text, behind an opener, and inside a value."""


def streamed(format_id: str, pieces: list[str]) -> None:
    """Reads a message piece by piece."""
    parser = Parser(format_id, tools=TOOLS)
    for piece in pieces:
        parser.feed(piece)
    parser.close()
    parser.result  # noqa: B018 - made when it is first asked for


def regular(given: argparse.Namespace) -> None:
    """Prints the cost of a delta of a call at both sizes."""
    sizes = {"4 KB": 4096, "1 MB": 1 << 20}
    jobs = {
        (format_id, label): Series(partial(_stream_of, format_id, size))
        for format_id in WRITERS
        for label, size in sizes.items()
    }
    counts = {
        (format_id, label): len(deltas(message(format_id, size, 0)[0]))
        for format_id in WRITERS
        for label, size in sizes.items()
    }
    times = least(jobs, rounds=given.rounds)
    rows: list[dict[str, object]] = []
    for format_id in WRITERS:
        short, long = (times[format_id, n] / counts[format_id, n] for n in sizes)
        rows.append(
            {
                "format": format_id,
                "delta at 4 KB, µs": short,
                "delta at 1 MB, µs": long,
                "1 MB ÷ 4 KB": long / short,
                "goal": "≤ 1.3",
            }
        )
    report(rows, given.json)


def _stream_of(format_id: str, size: int, number: int) -> Callable[[], None]:
    """Returns what streams one message; its pieces are cut before the clock runs."""
    return partial(streamed, format_id, deltas(message(format_id, size, number)[0]))


def hostile() -> None:
    """Prints the cost of a character of hostile text at both sizes, of one run each."""
    rows: list[dict[str, object]] = []
    for format_id in WRITERS:
        places = {"text": "", "opener": OPENERS[format_id], "value": VALUES[format_id]}
        for place, before in places.items():
            for name, unit in HOSTILE.items():
                about = {"format": format_id, "behind": place, "repeated": name}
                rows.append(about | _hostile(format_id, before, unit))
    print()
    report(rows, None)


def _hostile(format_id: str, before: str, unit: str) -> dict[str, object]:
    """Measures one hostile text: nanoseconds for a character, and how they grow."""
    row: dict[str, object] = {}
    costs = []
    for way in ("at once", "streamed"):
        for label, size in (("64 KB", 1 << 16), ("1 MB", 1 << 20)):
            text = (before + unit * (size // len(unit) + 1))[:size]
            step = size if way == "at once" else 4
            pieces = [text[at : at + step] for at in range(0, size, step)]
            costs.append(bounded(partial(streamed, format_id, pieces), LIMIT) * 1000 / size)
            row[f"{way}, {label}, ns"] = costs[-1]
        row[f"{way}, 1 MB ÷ 64 KB"] = costs[-1] / costs[-2]
    return row


def every_format(chosen: list[str], size: int, most: int | None) -> list[dict[str, object]]:
    """Returns, of each format and way, what costs most and what grows most."""
    rows: list[dict[str, object]] = []
    for format_id in chosen:
        sample, shapes = shapes_of(format_id, most)
        if sample is None:
            continue
        for way in ("streamed", "list of one, at once"):
            found = [(*_costs(format_id, sample.tools, each, size, way), each) for each in shapes]
            dearest = max(found, key=lambda each: each[0])
            steepest = max(found, key=lambda each: each[1])
            rows.append(
                {
                    "format": format_id,
                    "way": way,
                    "shapes": len(shapes),
                    "dearest, µs": dearest[0],
                    "its shape": _said(dearest[2]),
                    "goal, µs": MOST_COST,
                    "steepest": steepest[1],
                    "its shape ": _said(steepest[2]),
                    "goal": f"≤ {MOST_GROWTH}",
                }
            )
    return rows


def _said(shape: Shape) -> str:
    return f"{shape.repeated} behind {shape.place}".replace("\n", "⏎").replace("|", "¦")


def _costs(format_id: str, tools: object, shape: Shape, size: int, way: str) -> tuple[float, float]:
    """Returns the microseconds of a character, and how the cost grows from a quarter of the text."""
    wanted = format_id if way == "streamed" else [format_id]
    texts = shape.pair(size // 4, 4)
    jobs = [partial(_read, wanted, tools, list(t) if way == "streamed" else [t]) for t in texts]
    # What takes less than a tenth of the goal is not worth its noise.
    floor = size / 4 * 6
    least = [math.inf, math.inf]
    for turn in range(_MOST_RUNS):
        costs = [bounded(job, LIMIT) for job in jobs]
        least = [min(pair) for pair in zip(least, costs, strict=True)]
        cost, growth = least[1] / size, max(least[1], floor) / max(least[0], floor)
        # One more run for all that ends soon; the others for what misses a goal by a busy moment.
        if costs[1] > _AGAIN * 1e6 or (turn and cost <= MOST_COST and growth <= MOST_GROWTH):
            break
    return cost, growth


def _read(wanted: str | list[str], tools: Any, pieces: list[str]) -> None:
    parser = Parser(wanted, tools=tools)
    for piece in pieces:
        parser.feed(piece)
    parser.close()
    parser.result  # noqa: B018 - made when it is first asked for


def main() -> None:
    """Prints the tables that were asked for: the first two, or the third."""
    parser = options_of(__doc__, rounds=5)
    parser.add_argument("--formats", nargs="+", metavar="ID", help="hostile texts of these")
    parser.add_argument("--all", action="store_true", help="hostile texts of every format")
    parser.add_argument("--size", type=int, default=16_384, help="characters of such a text")
    parser.add_argument("--shapes", type=int, default=24, help="of a format; 0 for all")
    given = parser.parse_args()
    if given.all or given.formats:
        chosen = given.formats or sorted(formats)
        report(every_format(chosen, given.size, given.shapes or None), given.json)
        return
    regular(given)
    hostile()


if __name__ == "__main__":
    main()

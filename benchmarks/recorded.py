"""Are recorded messages of models read as the readers of their own sources read them?

`--data` is a file of messages, one JSON object a line, gzipped or not; the first line has the lists
of tools. Each message is read in its format (with `auto` where it names none) with its tools. Of
those whose source says what it read (`harness/truths.py` has a reader for each of its ways):

- *same*: the same calls, all of them and no other; a value that differs by the type that a schema
  gives it is the same.
- *lost*: a call of the source's is missing; *extra*: there are more than the source read.
- *wrong, executable*: a call may be executed that the source did not read so.
- *refused though right*: the same calls, and one is not executable.
- *truth completed*: calls of given tools stand plainly in the text, which the source's reader did
  not read, or not whole. What the readers of Python's library make of them is the truth then.
- *truth apart*: nothing tells what is right: a value is an expression, which the source worked out
  or took for its text, or the truth is of another message. They are counted in no other column.

Both follow from the text and the tools alone, whatever this library reads; they are counted by
reason below the table. `--every-truth` compares with the source's own reading, all the same.

Of all messages: *raised*; *read where it failed*: the source's reader failed, ours gives executable
calls; *differ when cut*: fed in pieces drawn from a seed, the result or the joined events differ.
The time is that of the slowest message of 200 characters or more.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import sys
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harness import report
from harness.truths import judged, truth_of

import toolgrammar
from toolgrammar.testing.cases import Case
from toolgrammar.testing.readings import read, seen
from toolgrammar.tools.specs import to_specs

if TYPE_CHECKING:
    from collections.abc import Iterator

    from harness.truths import Truth

    from toolgrammar import ParseResult, ToolCall

SEED = 20261123
TIMED = 200
"""Characters of a message whose time counts: of a shorter one it is that of the call."""
AT_ONCE = 50
"""Messages handed to a process at once."""
PIECES = (1, 2, 3, 4, 7, 20, 60)
SHOWN = 1500
"""Characters of a message that `--show` prints."""
KINDS = (
    "same",
    "lost",
    "extra",
    "wrong, executable",
    "refused though right",
    "truth completed",
    "truth apart",
    "read where it failed",
    "raised",
    "differ when cut",
)


@dataclass(slots=True)
class Found:
    """What came of one message."""

    row: dict[str, Any]
    kinds: list[str] = field(default_factory=list)
    has_truth: bool = False
    pace: float = 0.0
    """Microseconds a character."""
    odd: str = ""
    """What is odd about the truth of the source."""
    about: str = ""
    """What was read, for `--show`."""


def messages(path: Path) -> Iterator[dict[str, Any]]:
    """Yields the messages of a file, each with its list of tools."""
    data = path.read_bytes()
    text = (gzip.decompress(data) if path.suffix == ".gz" else data).decode()
    first, *lines = text.rstrip("\n").split("\n")
    specs = {name: to_specs(tools) for name, tools in json.loads(first)["tools"].items()}
    for line in lines:
        row = json.loads(line)
        row["tools"] = specs.get(row.get("tools"))
        yield row


def outcome(row: dict[str, Any], *, cuts: int, every_truth: bool) -> Found:
    """Reads one message, whole and in pieces, and says what came of it."""
    found = Found(row)
    case = Case(
        id=row["id"],
        text=row["text"],
        format=row["format"] or "auto",
        tools=row["tools"],
        prefix=row.get("prefix", ""),
    )
    try:
        result, found.pace = _timed(case)
        if any(_differs(case, attempt) for attempt in range(cuts)):
            found.kinds.append("differ when cut")
    except Exception as error:
        found.kinds.append("raised")
        found.about = repr(error)
        return found
    found.about = _shown(result)
    truth = truth_of(row)
    if truth is None:
        if "parser_error" in row["truth"] and any(call.executable for call in result.calls):
            found.kinds.append("read where it failed")
        return found
    if not every_truth:
        truth, found.odd = judged(truth, row)
        if truth is None:
            found.kinds.append("truth apart")
            return found
        if found.odd:
            found.kinds.append("truth completed")
    found.has_truth = True
    found.kinds += compared(result, truth)
    return found


def compared(result: ParseResult, truth: Truth) -> list[str]:
    """Returns in what the calls differ from those of the source."""
    calls = list(result.calls[: len(truth.calls)] if truth.first_only else result.calls)
    if truth.distinct:
        calls = [call for at, call in enumerate(calls) if not _stands_before(call, calls[:at])]
    pairs = list(zip(calls, truth.calls, strict=False))
    if len(calls) == len(truth.calls) and all(each.is_done_by(call) for call, each in pairs):
        return ["same"] + ["refused though right"] * any(not call.executable for call in calls)
    kinds = []
    left = list(truth.calls)
    more = 0
    wrong = False
    for call in calls:
        match = _match(call, left)
        if match is None:
            more += 1
            wrong = wrong or call.executable
        else:
            left.remove(match)
    if len(left) > more:
        kinds.append("lost")
    if more > len(left):
        kinds.append("extra")
    if wrong:
        kinds.append("wrong, executable")
    return kinds or ["other"]


def _stands_before(call: ToolCall, calls: list[ToolCall]) -> bool:
    return any(call.name == each.name and call.arguments == each.arguments for each in calls)


def _match(call: ToolCall, left: list[Any]) -> Any:
    return next((each for each in left if each.is_done_by(call)), None)


def _timed(case: Case) -> tuple[ParseResult, float]:
    """Returns the result and the microseconds a character, of the best of three where it counts."""

    def once() -> tuple[ParseResult, float]:
        start = time.perf_counter()
        result = toolgrammar.parse(case.text, case.format, tools=case.tools, prefix=case.prefix)
        return result, time.perf_counter() - start

    result, best = once()
    if len(case.text) < TIMED:
        return result, 0.0
    best = min([best, *(once()[1] for _ in range(2))])
    return result, best * 1e6 / len(case.text)


def _differs(case: Case, attempt: int) -> bool:
    draw = random.Random(f"{SEED} {attempt} {case.text}")
    pieces = []
    at = 0
    while at < len(case.text):
        size = draw.choice(PIECES)
        pieces.append(case.text[at : at + size])
        at += size
    return seen(read(case, pieces)) != seen(read(case, [case.text]))


def _shown(result: ParseResult) -> str:
    lines = [
        f"{call.name} {json.dumps(call.arguments, ensure_ascii=False)}"
        + (f" input={call.input!r}" if call.input is not None else "")
        + f" {call.status} {'' if call.executable else 'NOT EXECUTABLE'} {' '.join(call.doubts)}"
        + f" {call.error or ''}"
        for call in result.calls
    ]
    lines += [f"{each.severity} {each.code}: {each.message}" for each in result.diagnostics[:6]]
    return "\n".join([f"({result.format}, {'ok' if result.ok else 'not ok'})", *lines])


def figures(all_found: list[Found]) -> list[dict[str, object]]:
    """Returns a line a format, and one of all."""
    formats: dict[str, list[Found]] = {}
    for each in all_found:
        formats.setdefault(each.row["format"] or "auto", []).append(each)
    return [
        *(_line(name, formats[name]) for name in sorted(formats)),
        _line("all", all_found),
    ]


def _line(name: str, of: list[Found]) -> dict[str, object]:
    counts = Counter(kind for each in of for kind in each.kinds)
    truths = sum(each.has_truth for each in of)
    same = counts["same"]
    return {
        "format": name,
        "messages": len(of),
        "with a truth": truths,
        "same": same,
        "same, %": 100 * same / truths if truths else "",
        **{kind: counts[kind] for kind in KINDS[1:]},
        "slowest, µs/char": max(each.pace for each in of),
    }


def show(found: list[Found], kind: str | None, most: int) -> None:
    """Prints messages that differ, with what the source and what this library read."""
    differing = (
        each
        for each in found
        if (kind in each.kinds if kind else each.has_truth and "same" not in each.kinds)
    )
    for each in islice(differing, most):
        row = each.row
        print(f"\n===== {row['id']} {row['format'] or 'auto'} {', '.join(each.kinds)}")
        print(row["text"][:SHOWN])
        print(f"----- {json.dumps(row['truth'], ensure_ascii=False)[:SHOWN]}")
        print(f"----- {each.about[:SHOWN]}")


def given_options() -> argparse.Namespace:
    """Returns the options of the run."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = parser.add_argument
    add("--data", type=Path, required=True, metavar="PATH", help="the file of messages")
    add("--format", action="append", help="only messages of this format; may be repeated")
    add("--source", help="only messages whose source holds this")
    add("--limit", type=int, help="only so many of a format, spread over the file")
    add("--cuts", type=int, default=1, help="cuttings of each message (default: 1)")
    add("--every-truth", action="store_true", help="also count truths that can't be right")
    add("--show", type=int, default=0, metavar="N", help="print N messages that differ")
    add("--kind", help="print only messages of this column, such as 'lost'")
    add("--processes", type=int, default=1, help="at most one a core")
    add("--json", type=Path, metavar="FILE", help="also write the figures there")
    return parser.parse_args()


def chosen(given: argparse.Namespace) -> list[dict[str, Any]]:
    """Returns the messages that the options ask for."""
    found: dict[str, list[dict[str, Any]]] = {}
    for row in messages(given.data):
        name = row["format"] or "auto"
        wanted = given.format is None or name in given.format
        if wanted and (given.source or "") in row["source"]:
            found.setdefault(name, []).append(row)
    rows = []
    for each in found.values():
        step = max(1, len(each) // given.limit) if given.limit else 1
        rows += each[::step][: given.limit]
    return rows


def readings(rows: list[dict[str, Any]], given: argparse.Namespace) -> Iterator[Found]:
    """Yields what comes of each message."""
    job = partial(outcome, cuts=given.cuts, every_truth=given.every_truth)
    if given.processes == 1:
        yield from map(job, rows)
        return
    with ProcessPoolExecutor(given.processes) as pool:
        yield from pool.map(job, rows, chunksize=AT_ONCE)


def main() -> None:
    """Prints the table, and some of the messages that differ."""
    given = given_options()
    rows = chosen(given)
    found: list[Found] = []
    told = time.monotonic()
    for each in readings(rows, given):
        found.append(each)
        if time.monotonic() - told > 5:
            told = time.monotonic()
            print(f"{len(found):,} of {len(rows):,} messages", file=sys.stderr)
    report(figures(found), given.json)
    odd = Counter((each.has_truth, each.odd) for each in found if each.odd)
    for (is_completed, reason), count in odd.most_common():
        print(f"truth {'completed' if is_completed else 'apart'}: {count}: {reason}")
    if given.show:
        show(found, given.kind, given.show)


if __name__ == "__main__":
    main()

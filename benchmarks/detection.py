"""Does `auto` read each message as its own format does, and leave plain text alone, at what price?

*Rows* are the cases beside the repository and the examples of the pages; those in which the own
format reads a call count. *Right* is the own format, *same* another one with the same calls. *Plain
texts* are sources and documents of this interpreter and its packages: a call in one is a mistake.
Times are of one message, and of a process that reads its first.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import sysconfig
from collections import Counter
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from harness import options, report
from harness.rounds import Series, least
from harness.source_code import snippet

import toolgrammar
from toolgrammar.catalogue.page import read_page
from toolgrammar.testing import Case, cases_of_jsonl, cases_of_page
from toolgrammar.testing.cases import format_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from toolgrammar import ParseResult

ROOT = Path(__file__).resolve().parent.parent
BESIDE = ROOT.parent / "shared"
LARGEST = 300_000
"""Characters of a plain text, at most."""
SAMPLE = 3
"""Of the sources one in so many is read."""
MESSAGE = 'I look.\n<tool_call>\n{{"name": "save", "arguments": {{"text": "{}"}}}}\n</tool_call>'
CHILD = """
import pathlib, resource, sys, time
from toolgrammar import formats, parse
ways = list(formats) if sys.argv[1] == "each" else [sys.argv[1]]
start = time.perf_counter()
for way in ways:
    parse(sys.argv[2], format=way)
passed = time.perf_counter() - start
most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
status = pathlib.Path("/proc/self/status")
if status.exists():  # the other figure counts what the parent held too
    lines = status.read_text().splitlines()
    most = next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM"))
print(passed * 1e3, most)
"""


def rows() -> Iterator[Case]:
    """Yields the cases beside the repository, then the examples of the pages."""
    for name in ("seeds", "serving", "agents"):
        path = BESIDE / "cases" / f"{name}.jsonl"
        if path.is_file():
            for case in cases_of_jsonl(path):
                if case.format in toolgrammar.formats:
                    yield case
    for entry in toolgrammar.formats.values():
        yield from cases_of_page(read_page(entry.path.with_suffix(".md")), entry)


def deeds(result: ParseResult) -> list[str]:
    """Writes out what the calls of a message would do."""
    return [
        json.dumps([call.name, call.arguments, call.input], sort_keys=True) for call in result.calls
    ]


def accuracy() -> dict[str, object]:
    """Counts the rows that `auto` reads as their own format does."""
    found: Counter[str] = Counter()
    for case in rows():
        own = toolgrammar.parse(case.text, case.format, tools=case.tools, prefix=case.prefix)
        if not own.calls:
            continue
        read = toolgrammar.parse(case.text, "auto", tools=case.tools, prefix=case.prefix)
        right = read.format == format_of(case).id
        found["right" if right else "same" if deeds(read) == deeds(own) else "wrong"] += 1
        found["first of detect"] += _first(case) == format_of(case).id
    total = found["right"] + found["same"] + found["wrong"]
    good = 100 * (total - found["wrong"]) / total
    return {
        "rows with a call": total,
        "right": found["right"],
        "same calls": found["same"],
        "wrong": found["wrong"],
        "good, %": good,
        "goal": "≥ 99" + ("" if good >= 99 else " missed"),
        "first of detect": found["first of detect"],
    }


def _first(case: Case) -> str:
    found = toolgrammar.detect(case.text, case.tools)
    return found[0].format if found else ""


def plain_texts() -> Iterator[tuple[str, Path]]:
    """Yields plain texts of this machine, each with its kind."""
    library = Path(sysconfig.get_path("stdlib"))
    sources = [path for path in library.rglob("*.py") if "site-packages" not in path.parts]
    yield from (("library sources", path) for path in sorted(sources)[::SAMPLE])
    packages = Path(sysconfig.get_path("purelib"))
    for pattern in ("*.md", "*.rst", "*.txt", "METADATA"):
        yield from (("package documents", path) for path in sorted(packages.rglob(pattern)))
    documents = Path("/usr/share/doc")
    yield from (("system documents", path) for path in sorted(documents.rglob("*")))
    if BESIDE.is_dir():
        yield from (
            ("about formats", path) for path in sorted(BESIDE.joinpath("formats").rglob("*.md"))
        )


def false_calls() -> list[dict[str, object]]:
    """Counts the plain texts in which `auto` reads a call."""
    total: Counter[str] = Counter()
    wrong: Counter[str] = Counter()
    for kind, path in plain_texts():
        if not path.is_file() or path.stat().st_size > LARGEST:
            continue
        try:
            text = path.read_text(encoding="utf-8")
        except (UnicodeDecodeError, PermissionError):
            continue
        total[kind] += 1
        wrong[kind] += bool(toolgrammar.parse(text, "auto").calls)
    found: list[dict[str, object]] = [
        {"texts": kind, "read": total[kind], "with a call": wrong[kind],
         "without, %": 100 * (1 - wrong[kind] / total[kind]), "goal": ""}
        for kind in total
    ]  # fmt: skip
    share = 100 * (1 - wrong.total() / total.total())
    goal = "≥ 99.5" + ("" if share >= 99.5 else " missed")
    found.append({"texts": "all", "read": total.total(), "with a call": wrong.total(),
                  "without, %": share, "goal": goal})  # fmt: skip
    return found


def costs(rounds: int) -> list[dict[str, object]]:
    """Times one message and one delta in one format, in two and in all."""
    ways = ("hermes", "hermes,fenced_json", "auto")
    sizes = {"300 B": 200, "4 KB": 4_000}
    jobs: dict[tuple[str, str, str], Series] = {}
    for size, length in sizes.items():
        for way in ways:
            jobs[way, size, "batch"] = _series(toolgrammar.parse, way, length)
            jobs[way, size, "stream"] = _series(_streamed, way, length)
    times = least(jobs, rounds=rounds)
    return [
        {
            "format": way,
            "size": size,
            "batch, µs": times[way, size, "batch"],
            "delta, µs": times[way, size, "stream"] / (len(MESSAGE.format("")) + length) * 4,
        }
        for size, length in sizes.items()
        for way in ways
    ]


def _series(read: Callable[[str, str], object], way: str, length: int) -> Series:
    """Returns a job that reads messages whose words are a fresh piece of source code each."""

    def make(number: int) -> Callable[[], object]:
        words = json.dumps(snippet(length, number, way))[1:-1]
        return partial(read, MESSAGE.format(words), way)

    return Series(make)


def _streamed(text: str, way: str) -> None:
    parser = toolgrammar.Parser(way)
    for start in range(0, len(text), 4):
        parser.feed(text[start : start + 4])
    parser.close()


def first_use(rounds: int) -> list[dict[str, object]]:
    """Times the first message of a process, with a warm cache; `each` reads it in all formats."""
    found: list[dict[str, object]] = []
    for way in ("hermes", "auto", "each"):
        runs = [_first_run(way) for _ in range(rounds + 1)][1:]
        found.append(
            {
                "format": way,
                "first parse, ms": statistics.median(run[0] for run in runs),
                "memory, MB": statistics.median(run[1] for run in runs),
            }
        )
    return found


def _first_run(way: str) -> tuple[float, float]:
    done = subprocess.run(
        [sys.executable, "-c", CHILD, way, MESSAGE.format("x")],
        check=True,
        capture_output=True,
        text=True,
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
    )
    time, memory = map(float, done.stdout.split())
    return time, memory


def main() -> None:
    """Prints four tables."""
    given = options(__doc__, rounds=5)
    report([accuracy()], None)
    report(false_calls(), None)
    report(costs(given.rounds), None)
    report(first_use(given.rounds), given.json)


if __name__ == "__main__":
    main()

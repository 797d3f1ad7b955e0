"""How fast are files of messages read, from JSON lines to JSON lines, by one process and by two?

Each line holds a hermes message of 300 B with one call. Reading and writing are within the clock;
so is the start of the processes where there are several; what an earlier round wrote is deleted
before. *MB/s* counts the bytes of the file that is read. Beside it stand the parts, in one process
without files: finding the message in a line, `parse`, writing the result as a line. All jobs run
in turn; the best of the rounds counts.
"""

from __future__ import annotations

import json
import tempfile
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from harness import options, report
from harness.messages import TOOLS, message

import toolgrammar
from toolgrammar.bulk.rows.parse_options import reading_of
from toolgrammar.bulk.rows.result_lines import new_lines
from toolgrammar.bulk.rows.row_fields import rows_of_lines

if TYPE_CHECKING:
    from collections.abc import Callable

ROWS = 400_000
PART_ROWS = 5_000
LEAST = 25.0
"""MB/s that one process shall reach."""
GAIN = 1.6
"""How much faster two shall be than one."""


def write_rows(path: Path, rows: int) -> None:
    """Writes a file of messages, each a little different."""
    text, _ = message("hermes", 300)
    with path.open("w", encoding="utf-8", newline="\n") as file:
        for number in range(rows):
            row = {"id": number, "text": text.replace("Line 0", f"Line {number}")}
            file.write(json.dumps(row, ensure_ascii=False) + "\n")


def whole(path: Path, jobs: int, tools: list[object] | None) -> None:
    """Reads the file to another file."""
    output = path.with_suffix(".out")
    done = toolgrammar.batch(path, "hermes", output=output, jobs=jobs, tools=tools, progress=False)
    if done.failed or done.calls != done.rows:
        raise SystemExit(f"the batch read something else: {done}")


def parts(path: Path) -> dict[str, Callable[[], object]]:
    """Returns what the work on some rows consists of."""
    with path.open("rb") as file:
        data = b"".join(file.readline() for _ in range(PART_ROWS))
    reading = reading_of("hermes", {}, column="text")
    read = reading.reader()
    texts = [row[1] for row in rows_of_lines(data, 1, PART_ROWS, "text", ())]
    results = [read(text) for text in texts]

    def find() -> None:
        for _ in rows_of_lines(data, 1, PART_ROWS, "text", ()):
            pass

    def parse() -> None:
        for text in texts:
            read(text)

    def write() -> None:
        for start in range(0, len(results), 700):
            lines = new_lines()
            for result in results[start : start + 700]:
                lines.add(result, b"", result.source)
            lines.taken()

    return {"find the message": find, "parse": parse, "write the result": write}


def main() -> None:
    """Prints a row for each way."""
    given = options(__doc__, rounds=5)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows.jsonl"
        write_rows(path, ROWS)
        size = path.stat().st_size
        jobs: dict[str, Callable[[], object]] = {
            "1 process": partial(whole, path, 1, None),
            "2 processes": partial(whole, path, 2, None),
            "1 process, tools": partial(whole, path, 1, TOOLS),
        }
        jobs.update(parts(path))
        best = dict.fromkeys(jobs, float("inf"))
        for _ in range(given.rounds):
            for name, job in jobs.items():
                path.with_suffix(".out").unlink(missing_ok=True)
                start = time.perf_counter()
                job()
                best[name] = min(best[name], time.perf_counter() - start)
    rows: list[dict[str, object]] = []
    for name, seconds in best.items():
        count = ROWS if "process" in name else PART_ROWS
        goal = {"1 process": f"≥ {LEAST:g} MB/s", "2 processes": f"≥ {GAIN:g} times one"}.get(
            name, ""
        )
        rows.append(
            {
                "what": name,
                "µs a row": seconds / count * 1e6,
                "MB/s": size / ROWS * count / seconds / 1e6,
                "times one process": best["1 process"] / ROWS / (seconds / count),
                "goal": goal,
            }
        )
    report(rows, given.json)


if __name__ == "__main__":
    main()

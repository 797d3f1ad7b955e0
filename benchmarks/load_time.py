"""How long until the first parse: importing the package, then reading with each format?

Each figure is of a fresh process. *Import* is `import toolgrammar`; the *first parse* is what the
first `parse` of that process takes after it, which imports the parser's modules, finds the format,
loads its tables and makes its expressions. *Warm* has the compiled tables in the cache; *cold* has
an empty cache and compiles. The goal is 15 ms for a first parse, warm, and no Lark in it.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from harness import options, report
from toolgrammar import formats

GOAL = 15.0
"""Milliseconds of a first parse with a warm cache, at most."""

CHILD = """
import sys, time
start = time.perf_counter()
import toolgrammar
imported = time.perf_counter()
lark_at_import = "lark" in sys.modules
begun = time.perf_counter()
toolgrammar.parse(sys.argv[2], format=sys.argv[1])
ended = time.perf_counter()
import json
print(json.dumps([(imported - start) * 1e3, (ended - begun) * 1e3, lark_at_import, "lark" in sys.modules]))
"""
ROOT = Path(__file__).resolve().parent.parent


def first_parse(format_id: str, cache: str, text: str) -> tuple[float, float, bool, bool]:
    """Returns milliseconds of import and first parse, and whether Lark was imported by each."""
    done = subprocess.run(
        [sys.executable, "-c", CHILD, format_id, text],
        check=True,
        capture_output=True,
        text=True,
        cwd=ROOT,
        env=os.environ | {"TOOLGRAMMAR_CACHE": cache},
    )
    imported, parsed, at_import, at_parse = json.loads(done.stdout)
    return imported, parsed, at_import, at_parse


def list_formats(cache: str) -> bool:
    """Returns whether `toolgrammar formats` imports Lark."""
    child = (
        "import sys\nfrom toolgrammar.cli.main import main\n"
        "try:\n    main(['formats'])\nexcept SystemExit:\n    pass\n"
        "print('lark' in sys.modules, file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", child],
        check=True,
        capture_output=True,
        text=True,
        cwd=ROOT,
        env=os.environ | {"TOOLGRAMMAR_CACHE": cache},
    )
    return done.stderr.split()[-1] == "True"


def golden(format_id: str) -> str:
    """Returns the first example of the format's page: what a first parse would read."""
    from toolgrammar.catalogue.page import read_page

    page = read_page(formats[format_id].path.with_suffix(".md"))
    return page.examples[0].text if page.examples else ""


def main() -> None:
    """Prints a row for each format."""
    given = options(__doc__, rounds=5)
    rows: list[dict[str, object]] = []
    with tempfile.TemporaryDirectory() as folder:
        for format_id in formats:
            text = golden(format_id)
            cache = str(Path(folder, format_id))
            cold = first_parse(format_id, cache, text)
            warm = [first_parse(format_id, cache, text) for _ in range(given.rounds)]
            first = statistics.median(run[1] for run in warm)
            rows.append(
                {
                    "format": format_id,
                    "import, ms": statistics.median(run[0] for run in warm),
                    "first parse, warm, ms": first,
                    "goal": f"≤ {GOAL:g}" + ("" if first <= GOAL else " missed"),
                    "Lark, warm": "yes" if any(run[2] or run[3] for run in warm) else "no",
                    "first parse, cold, ms": cold[1],
                }
            )
        report(rows, given.json)
        print(f"\n`toolgrammar formats` imports Lark: {'yes' if list_formats(folder) else 'no'}")


if __name__ == "__main__":
    main()

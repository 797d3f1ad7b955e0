"""How long until the first parse: importing the package, then reading with each format?

Each figure is of a fresh process. *Package* is `import toolgrammar`, which imports next to nothing;
*parser* is `from toolgrammar import parse` after it. The *first parse* finds the format, loads its
tables and makes its expressions. *Warm* has the compiled tables in the cache, *cold* an empty cache
and compiles; bytecode is there in both. The goal is 15 ms for a first parse after the imports,
warm, and no Lark in any of it.
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
package = time.perf_counter()
from toolgrammar import parse
parser = time.perf_counter()
parse(sys.argv[2], format=sys.argv[1])
ended = time.perf_counter()
import json
print(json.dumps([(package - start) * 1e3, (parser - package) * 1e3, (ended - parser) * 1e3,
                  "lark" in sys.modules]))
"""
ROOT = Path(__file__).resolve().parent.parent


def first_parse(format_id: str, cache: str, text: str) -> tuple[float, float, float, bool]:
    """Returns milliseconds of package, parser and first parse, and whether Lark was imported."""
    done = subprocess.run(
        [sys.executable, "-c", CHILD, format_id, text],
        check=True,
        capture_output=True,
        text=True,
        cwd=ROOT,
        env=_environment(cache),
    )
    package, parser, parsed, lark = json.loads(done.stdout)
    return package, parser, parsed, lark


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
        env=_environment(cache),
    )
    return done.stderr.split()[-1] == "True"


def _environment(cache: str) -> dict[str, str]:
    """Returns the environment of a child: bytecode is kept, in the cache's folder, as anywhere."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    bytecode = str(Path(cache).parent / "bytecode")
    return kept | {"TOOLGRAMMAR_CACHE": cache, "PYTHONPYCACHEPREFIX": bytecode}


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
        warmed = str(Path(folder, "first"))
        first_parse("hermes", warmed, golden("hermes"))  # writes the bytecode
        for format_id in formats:
            text = golden(format_id)
            cache = str(Path(folder, format_id))
            cold = first_parse(format_id, cache, text)
            warm = [first_parse(format_id, cache, text) for _ in range(given.rounds)]
            first = statistics.median(run[2] for run in warm)
            rows.append(
                {
                    "format": format_id,
                    "package, ms": statistics.median(run[0] for run in warm),
                    "parser, ms": statistics.median(run[1] for run in warm),
                    "first parse, warm, ms": first,
                    "goal": f"≤ {GOAL:g}" + ("" if first <= GOAL else " missed"),
                    "Lark, warm": "yes" if any(run[3] for run in warm) else "no",
                    "first parse, cold, ms": cold[2],
                }
            )
        report(rows, given.json)
        print(f"\n`toolgrammar formats` imports Lark: {'yes' if list_formats(warmed) else 'no'}")


if __name__ == "__main__":
    main()

"""How often is damaged JSON read as it was meant, how often wrongly without a word, and how fast?

The first tables damage valid payloads in one place each, drawn from a seed, and count for each
library: *exact* values; *told*, where the value is not exact but the library says so (by refusing
it, or, here, because the result may not be executed); *silent*, where a wrong value looks right;
*crash*, where something other than a refusal is raised. Then: 64 KB of fourteen kinds of damage,
how the time grows, and what a stream of four characters at a time costs beside the whole text.

Libraries that are not installed are left out: json_repair, fast_json_repair, partial-json-parser,
jiter (its partial mode), and jsonrepair of npm (correctness only; `peers/set_up.py` installs it).
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

from suites.recovery import run, show  # noqa: E402 - needs the path above


def main() -> None:
    """Measures, prints all tables, and writes them where a folder is given."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=3, help="the least of so many is kept")
    parser.add_argument("--into", type=Path, help="write JSON, tables and plots there")
    parser.add_argument("--long", action="store_true", help="growth to 1 MB, not to 256 KB")
    given = parser.parse_args()
    show(run(rounds=given.rounds, longest=1 << 20 if given.long else 1 << 18), given.into)


if __name__ == "__main__":
    main()

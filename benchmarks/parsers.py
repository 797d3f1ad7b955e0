"""How fast does toolgrammar read tool calls beside the servers' own parsers, and how does it grow?

One call with a long argument, 300 B, 4 KB and 32 KB in all, in every format that vLLM or SGLang
reads too: at once, and in deltas of four characters (special tokens whole). The same is measured of
transformers' response parser, of a regular expression with `json.loads` behind it (the floor), and
of json_repair, jiter and partial-json-parser in the place of `json.loads`. Arguments are decoded
within the clock; a parser that reads other calls than were written is shown as `wrong` and does
not count. Then: growth up to 1 MB, memory at 1 MB, and the time of loading.

The peers need `peers/set_up.py` (minutes, 7 GB); the suite then runs in their environment. Without
it, vLLM, SGLang and transformers are left out.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

from peers.process import measured  # noqa: E402 - needs the path above


def options() -> argparse.Namespace:
    """Returns the options of the suite."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=7, help="the least of so many is kept")
    parser.add_argument("--limit", type=float, default=3.0, help="seconds one run may take")
    parser.add_argument("--format", action="append", default=[], help="only this one; may repeat")
    parser.add_argument("--into", type=Path, help="write JSON, tables and plots there")
    parser.add_argument(
        "--long", action="store_true", help="growth and memory at 1 MB of every format: 20 minutes"
    )
    parser.add_argument("--figures", type=Path, help=argparse.SUPPRESS)
    return parser.parse_args()


def main() -> None:
    """Measures, in the environment of the peers where there is one; then shows the figures here."""
    from suites.parsers import run, show

    given = options()
    missing = "vLLM, SGLang and transformers are left out"
    show(measured(Path(__file__).resolve(), given.figures, lambda: run(given), missing), given.into)


if __name__ == "__main__":
    main()

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
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

from peers.places import interpreter  # noqa: E402 - needs the path above


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
    given = options()
    if given.figures:
        from suites.parsers import run

        text = json.dumps(run(given), indent=1, ensure_ascii=False)
        given.figures.write_text(text, encoding="utf-8")
        sys.stderr.flush()
        os._exit(0)  # torch's own modules have much to say about a usual end
    python = interpreter()
    if not python.exists():
        print(
            "vLLM, SGLang and transformers are left out: run benchmarks/peers/set_up.py first",
            file=sys.stderr,
        )
        python = Path(sys.executable)
    with tempfile.TemporaryDirectory() as folder:
        figures = Path(folder) / "figures.json"
        script = str(Path(__file__).resolve())
        command = [str(python), script, *sys.argv[1:], "--figures", str(figures)]
        settings = {**os.environ, "PYTHONPATH": str(HERE.parent)}
        # What torch says of itself at the end of a process is of no use here.
        done = subprocess.run(command, env=settings, stdout=subprocess.DEVNULL, check=False)
        if not figures.exists():
            raise SystemExit(done.returncode or 1)
        parts = json.loads(figures.read_text(encoding="utf-8"))
    from suites.parsers import show

    show(parts, given.into)


if __name__ == "__main__":
    main()

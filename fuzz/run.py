"""Runs the targets under Atheris, which looks for inputs that reach new code.

`python -m fuzz.run [TARGET …] [--seconds N]`: all targets, a minute each, by default. What fails
is printed and left in `fuzz/found/`; put its bytes into `fuzz/corpus/`, where the tests read it.
Where Atheris is not installed (it has no wheels for some systems), `fuzz.seeded` makes the attacks.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

HERE = Path(__file__).parent
FOUND = HERE / "found"


def main() -> int:
    """Runs each target in a process of its own."""
    parser = argparse.ArgumentParser(description=__doc__)
    targets = ["messages", "streams", "payloads", "deltas", "growth", "attacks"]
    parser.add_argument("targets", nargs="*", default=targets)
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if find_spec("atheris") is None:
        print("Atheris is not installed: the attacks are made from seeds")
        return subprocess.call([sys.executable, "-m", "fuzz.seeded"])
    if given.inside:
        _fuzz(given.targets[0], given.seconds)
    codes = [
        subprocess.call(
            [sys.executable, "-m", "fuzz.run", target, "--seconds", str(given.seconds), "--inside"]
        )
        for target in given.targets
    ]
    return max(codes)


def _fuzz(target: str, seconds: int) -> None:
    import atheris

    with atheris.instrument_imports(include=["toolgrammar"]):
        from fuzz.targets import TARGETS

    FOUND.mkdir(exist_ok=True)
    corpus = HERE / "found" / target
    corpus.mkdir(exist_ok=True)
    options = [
        f"-max_total_time={seconds}",
        "-max_len=400",
        "-timeout=20",
        "-rss_limit_mb=4000",
        f"-artifact_prefix={FOUND}/{target}-",
    ]
    atheris.Setup([sys.argv[0], *options, str(corpus), str(HERE / "corpus")], TARGETS[target])
    atheris.Fuzz()


if __name__ == "__main__":
    sys.exit(main())

"""Measures in the environment of the peers, in a process of its own, where that environment is there.

Example: `league` asks for its figures with `--figures FILE`; the process that has all the readers
writes them there, and the one that was called shows them.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from peers.places import CHECKOUT, interpreter

if TYPE_CHECKING:
    from collections.abc import Callable


def measured(
    script: Path, figures: Path | None, measure: Callable[[], dict[str, Any]], missing: str
) -> dict[str, Any]:
    """Returns what was measured, with the peers where they are installed.

    Args:
        script: what was called; it is called again, with the same options and `--figures`.
        figures: the file of that option; in the process that measures this does not return.
        measure: gives the figures, which JSON can hold.
        missing: what is said where the peers are not installed.

    Raises:
        SystemExit: the process that measures wrote no figures.
    """
    if figures is not None:
        text = json.dumps(measure(), indent=1, ensure_ascii=False)
        figures.write_text(text, encoding="utf-8")
        sys.stderr.flush()
        os._exit(0)  # torch's own modules have much to say about a usual end
    python = interpreter()
    if not python.exists():
        print(f"{missing}: run benchmarks/peers/set_up.py first", file=sys.stderr)
        python = Path(sys.executable)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "figures.json"
        command = [str(python), str(script), *sys.argv[1:], "--figures", str(file)]
        settings = {**os.environ, "PYTHONPATH": str(CHECKOUT), "DYN_LOG": "off"}
        # What torch says of itself at the end of a process is of no use here.
        done = subprocess.run(command, env=settings, stdout=subprocess.DEVNULL, check=False)
        if not file.exists():
            raise SystemExit(done.returncode or 1)
        found: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return found

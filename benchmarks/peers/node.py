"""jsonrepair of npm, where node is there and `set_up.py` has installed it."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

from peers.places import folder

_SCRIPT = Path(__file__).with_name("jsonrepair.mjs")


def repaired(texts: list[str]) -> list[dict[str, Any]] | None:
    """Returns value or error of each text; None where jsonrepair is not there."""
    node = shutil.which("node")
    place = folder() / "node"
    if node is None or not (place / "node_modules" / "jsonrepair").exists():
        return None
    done = subprocess.run(
        [node, str(_SCRIPT), str(place)],
        input=json.dumps(texts),
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=True,
    )
    found: list[dict[str, Any]] = json.loads(done.stdout)
    return found

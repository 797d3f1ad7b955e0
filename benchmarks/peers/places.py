"""Says where the environment of the peers is."""

from __future__ import annotations

import os
import sys
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[2]


def folder() -> Path:
    """Returns the folder that holds the environment and the unpacked wheels."""
    named = os.environ.get("TOOLGRAMMAR_PEERS")
    return Path(named).resolve() if named else CHECKOUT / ".venv-peers"


def interpreter() -> Path:
    """Returns the Python of the environment, there or not."""
    parts = ("Scripts", "python.exe") if sys.platform == "win32" else ("bin", "python")
    return folder().joinpath("environment", *parts)

"""Imports point down."""

import os
import subprocess
import sys

from tests.house.checkout import ROOT


def test_import_contracts_hold() -> None:
    """The same contracts as `make layers`, so that a plain test run sees a broken one."""
    run = subprocess.run(
        [
            sys.executable,
            "-c",
            "import sys; from importlinter.cli import lint_imports; sys.exit(lint_imports())",
        ],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert run.returncode == 0, run.stdout + run.stderr

"""The page about the engine says what is so, and the example runs."""

from __future__ import annotations

import contextlib
import io
import re
import subprocess
import sys

from tests.house.checkout import ROOT

PAGE = ROOT / "docs" / "engine.md"


def test_python_blocks_run_and_print_what_they_say() -> None:
    """In one namespace; a comment line after a `print` is what it prints."""
    text = PAGE.read_text(encoding="utf-8")
    namespace: dict[str, object] = {"__name__": "engine_page"}
    blocks = list(re.finditer(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL))
    assert len(blocks) >= 5
    for block in blocks:
        line = text.count("\n", 0, block.start(1))
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile("\n" * line + block[1], str(PAGE), "exec"), namespace)
        said = re.findall(r"^# (.*)$", block[1], re.MULTILINE)
        assert printed.getvalue().splitlines() == said


def test_example_runs() -> None:
    done = subprocess.run(
        [sys.executable, "-W", "error", str(ROOT / "examples" / "agent.py")],
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    assert done.stdout.endswith("calls: 8, of which 2 failed\n")
    assert "rainy.txt: ['monday.txt', 'tuesday.txt']" in done.stdout
    assert done.stderr == ""

"""The page about the engine says what is so, and the example runs."""

from __future__ import annotations

import contextlib
import io
import re
import runpy
import subprocess
import sys

from tests.house.checkout import ROOT
from toolgrammar.engine import Engine

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


def test_example_tells_the_model_of_a_lost_call_beside_one_that_ran() -> None:
    example = runpy.run_path(str(ROOT / "examples" / "agent.py"))
    turn = example["turn"]
    lost = '<tool_call>\n{"nmae": "add", "arguments": {"a": 5}}\n</tool_call>'
    turn.__globals__["model"] = lambda _said: iter([example["call"]("add", '{"a": 1}'), lost])

    def add(a: int) -> int:
        return a + 1

    done, told = turn(Engine([add]), [])
    assert "\n2\n" in done["content"]
    assert told["role"] == "user"
    assert "not read" in told["content"]

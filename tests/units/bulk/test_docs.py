"""docs/bulk.md: its program runs on the lines that it shows, and prints what it says."""

import re
import subprocess
import sys
from pathlib import Path

from tests.house.checkout import ROOT

PAGE = (ROOT / "docs" / "bulk.md").read_text(encoding="utf-8")


def test_the_program_runs_on_the_lines_of_the_page(tmp_path: Path) -> None:
    [lines] = re.findall(r"^```json\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
    [program] = re.findall(r"^```python\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
    (tmp_path / "transcripts.jsonl").write_text(lines, encoding="utf-8")
    (tmp_path / "program.py").write_text(program, encoding="utf-8")
    command = [sys.executable, "program.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    [said] = re.findall(r"^# (.*)$", program, re.MULTILINE)
    assert done.stdout == f"{said}\n"
    assert len((tmp_path / "calls.jsonl").read_text(encoding="utf-8").splitlines()) == 2

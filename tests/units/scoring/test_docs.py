"""The page about scores says what is so."""

import contextlib
import io
import re
import shlex
from pathlib import Path

import pytest

from tests.house.checkout import ROOT
from tests.units.cli.running import Run
from toolgrammar.scoring.message_scores import MEASURES

PAGE = (ROOT / "docs" / "scoring.md").read_text(encoding="utf-8")


def _blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


def test_the_blocks_run_and_print_what_they_say(run: Run) -> None:
    """In one namespace; a comment line is what the line before it prints."""
    first, *rest = _blocks("python")
    exec(first, {"__name__": "scoring_page"})
    _, *words = shlex.split(_blocks("bash")[0])
    status, out, _ = run(*words)
    assert status == 0
    for line in _blocks("text")[0].splitlines():
        assert any(each.startswith(line) for each in out.splitlines()), line
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec("".join(rest), {"__name__": "scoring_page"})
    assert printed.getvalue().splitlines() == re.findall(r"^# (.*)$", "".join(rest), re.MULTILINE)
    assert Path("report.json").exists()


@pytest.mark.parametrize("measure", MEASURES)
def test_every_measure_is_explained(measure: str) -> None:
    assert f"`{measure}`" in PAGE

"""Runs the command line as a user would."""

import io
import sys
from pathlib import Path

import pytest

from tests.units.cli.running import CUT, GRAMMAR, MESSAGE, PAGE, Outcome, Run
from toolgrammar.cli.main import main


@pytest.fixture
def run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]
) -> Run:
    """Runs a command line in a folder with a grammar, its page and two messages."""
    files = {"mine.lark": GRAMMAR, "mine.md": PAGE, "good.txt": MESSAGE, "cut.txt": CUT}
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TOOLGRAMMAR_CACHE", str(tmp_path / "cache"))

    def run(*words: str, given: bytes | str = b"") -> Outcome:
        data = given.encode() if isinstance(given, str) else given
        # A console of another encoding must not matter.
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data), encoding="ascii"))
        status = main(words)
        captured = capsysbinary.readouterr()
        return Outcome(status, captured.out.decode(), captured.err.decode())

    return run

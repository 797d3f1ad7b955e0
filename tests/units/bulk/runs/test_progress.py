"""The progress bar: on a terminal alone."""

import io
import sys

import pytest

import toolgrammar


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_terminal_gets_a_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", terminal := _Terminal())
    assert len(list(toolgrammar.batch(["a", "b"], "hermes"))) == 2
    assert "Reading" in terminal.getvalue()


def test_a_file_gets_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", file := io.StringIO())
    assert len(list(toolgrammar.batch(["a", "b"], "hermes"))) == 2
    assert file.getvalue() == ""


def test_nobody_wants_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", terminal := _Terminal())
    assert len(list(toolgrammar.batch(["a"], "hermes", progress=False))) == 1
    assert terminal.getvalue() == ""


@pytest.mark.parametrize("stream", [None, "terminal"])
def test_it_does_without_rich(monkeypatch: pytest.MonkeyPatch, stream: str | None) -> None:
    monkeypatch.setattr(sys, "stderr", _Terminal() if stream else None)
    monkeypatch.setitem(sys.modules, "rich.progress", None)
    assert len(list(toolgrammar.batch(["a"], "hermes"))) == 1

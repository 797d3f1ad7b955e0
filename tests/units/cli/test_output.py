"""`cli/output.py`: lines and tables in UTF-8."""

import io
import sys

import pytest

from toolgrammar.cli import output


class Terminal(io.TextIOWrapper):
    """A standard output that says it is a terminal, in an encoding of old."""

    def __init__(self) -> None:
        super().__init__(io.BytesIO(), encoding="ascii")

    def isatty(self) -> bool:
        return True

    def text(self) -> str:
        self.flush()
        assert isinstance(self.buffer, io.BytesIO)
        return self.buffer.getvalue().decode()


@pytest.mark.parametrize(
    ("value", "expected"), [("ä🛠️", '"ä🛠️"\n'), ("\ud800", '"\\ud800"\n'), ("\x1b", '"\\u001b"\n')]
)
def test_json_is_utf8(
    value: str, expected: str, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    output.write_json(value)
    assert capsysbinary.readouterr().out.decode() == expected


def test_terminal_commands_are_written_out() -> None:
    assert output.printable("a\x1b[2J\x9b1m\r\tb\n") == "a\\x1b[2J\\x9b1m\\x0d\tb\n"


def test_plain_tables_are_aligned(capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    output.write_table(("id", "title"), [("a", "x\ny"), ("long", "z")])
    assert capsysbinary.readouterr().out == b"id    title\na     x\\ny\nlong  z\n"


def test_without_rich_a_terminal_gets_what_fits(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stdout", terminal)
    monkeypatch.setitem(sys.modules, "rich.console", None)
    monkeypatch.setenv("COLUMNS", "40")
    output.write_table(("id", "title"), [("a", "x" * 80)])
    assert [len(line) for line in terminal.text().splitlines()] == [9, 40]
    output.write_markdown("# Ä\n")
    assert terminal.text().endswith("# Ä\n")


def test_a_narrow_terminal_keeps_a_readable_cell(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stdout", terminal)
    monkeypatch.setitem(sys.modules, "rich.console", None)
    monkeypatch.setenv("COLUMNS", "5")
    output.write_table(("id", "title"), [("a", "x" * 80)])
    assert "x" * 19 + "…" in terminal.text()


def test_with_rich_a_terminal_gets_a_table(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("rich")
    terminal = Terminal()
    monkeypatch.setattr(sys, "stdout", terminal)
    output.write_table(("id", "title"), [("a", "[bold]x[/bold]")])
    output.write_markdown("# Heading\n")
    assert "[bold]x[/bold]" in terminal.text()
    assert "Heading" in terminal.text()

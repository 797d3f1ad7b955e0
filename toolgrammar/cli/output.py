"""Writes lines and tables as UTF-8, whatever the console's encoding.

Control characters such as ESC, with which terminal commands begin, are written as their codes.
"""

from __future__ import annotations

import json
import re
import shutil
import sys
from typing import TYPE_CHECKING, cast

from toolgrammar.values.errors import LISTED

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import TextIO

# All but tab and line feed. A carriage return would let a text write over its line.
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_LEAST_WIDTH = 20
_GAP = "  "


def write(text: str) -> None:
    """Writes a text to standard output.

    A lone surrogate, which UTF-8 can't carry, becomes its JSON escape.
    """
    # What was printed as text before must come first.
    sys.stdout.flush()
    sys.stdout.buffer.write(text.encode("utf-8", "backslashreplace"))
    sys.stdout.buffer.flush()


def write_line(text: str = "") -> None:
    """Writes a line to standard output."""
    write(text + "\n")


def write_json(value: object) -> None:
    """Writes a value as one line of JSON."""
    write_line(json.dumps(value, ensure_ascii=False))


def complain(message: str, kind: str = "error") -> None:
    """Writes a message to stderr, if it is open; `kind` is its severity."""
    # A hint of the library for Python callers is replaced by the command's own.
    words = printable(message).replace(LISTED, "`toolgrammar formats` lists them all")
    # Here, too, a lone surrogate becomes its escape.
    data = f"toolgrammar: {kind}: {words}\n".encode("utf-8", "backslashreplace")
    stream = cast("TextIO | None", sys.stderr)
    if stream is None:
        return
    # What was written to it as text before has to come first.
    stream.flush()
    buffer = getattr(stream, "buffer", None)
    # A test or a notebook may have put a stream without bytes in its place.
    if buffer is None:
        stream.write(data.decode())
    else:
        buffer.write(data)
        buffer.flush()


def printable(text: str) -> str:
    r"""Returns a text in which control characters are written out.

    What a model wrote may hold terminal commands, as in `\x1b[2J`; they shall not run.
    """
    return _CONTROL.sub(lambda match: f"\\x{ord(match[0]):02x}", text)


def one_line(text: str) -> str:
    """Returns a text as `printable` does, its line ends and tabs written out too."""
    return printable(text.replace("\n", "\\n").replace("\t", "\\t"))


def compact(value: object) -> str:
    """Returns a value as JSON for a cell of a table."""
    # `repr` for what is not JSON: a table shows something of any value.
    return json.dumps(value, ensure_ascii=False, default=repr)


def write_table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Writes a table: with rich on a terminal where it is installed, else in plain columns."""
    shown = [[one_line(cell) for cell in row] for row in rows]
    if sys.stdout.isatty():
        if _write_rich(headings, shown):
            return
        # Without rich a long cell would break its row, and the columns with it.
        shown = _cut_to_width(headings, shown, shutil.get_terminal_size().columns)
    widths = _widths(headings, shown)
    for row in (headings, *shown):
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        write_line(_GAP.join(cells).rstrip())


def write_markdown(text: str) -> None:
    """Writes Markdown: laid out by rich on a terminal, else as it is."""
    if sys.stdout.isatty():
        try:
            from rich.console import Console
            from rich.markdown import Markdown
        except ImportError:
            pass
        else:
            Console().print(Markdown(text))
            return
    write(text)


def fields(values: Mapping[str, object]) -> str:
    """Returns `name=value` pairs for one line of text."""
    return " ".join(f"{name}={compact(value)}" for name, value in values.items())


def _write_rich(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> bool:
    """Writes the table with rich; returns whether that was possible."""
    try:
        from rich.console import Console
        from rich.table import Table
        from rich.text import Text
    except ImportError:
        return False
    table = Table()
    for heading in headings:
        table.add_column(heading, overflow="fold")
    for row in rows:
        # `Text`, since a model's `[bold]` is not our markup.
        table.add_row(*(Text(cell) for cell in row))
    Console().print(table)
    return True


def _widths(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> list[int]:
    return [max(map(len, column)) for column in zip(headings, *rows, strict=True)]


def _cut_to_width(
    headings: Sequence[str], rows: Sequence[Sequence[str]], columns: int
) -> list[list[str]]:
    """Cuts the widest column so that the table fits."""
    widths = _widths(headings, rows)
    widest = widths.index(max(widths))
    rest = sum(widths) - widths[widest] + len(_GAP) * (len(widths) - 1)
    # At least so wide, even where the table is then wider than the terminal.
    room = max(columns - rest, _LEAST_WIDTH)
    return [
        [
            cell[: room - 1] + "…" if index == widest and len(cell) > room else cell
            for index, cell in enumerate(row)
        ]
        for row in rows
    ]

"""Writes a text line by line: its parts in colour or in the margin, findings under their place.

A row is `text   | On it.`; a finding has `^~~~` below its place, and its message.
"""

from __future__ import annotations

import sys
import unicodedata
from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING, Any, NamedTuple

from toolgrammar.cli.output import one_line, printable, write

if TYPE_CHECKING:
    from collections.abc import Iterator

_STYLES = {
    "text": "",
    "reasoning": "italic magenta",
    "call": "cyan",
    "markup": "bright_black",
    "error": "bold red",
    "warning": "yellow",
    "info": "blue",
    "margin": "bright_black",
}
# A tab of unknown width would put the marks below it under the wrong characters.
_TAB = "    "
# Wide and full-width characters take two columns.
_WIDE = frozenset("WF")


class Part(NamedTuple):
    """A stretch of a message."""

    kind: str
    """`text`, `reasoning` or `call`."""
    start: int
    end: int
    call: int | None = None
    """The index of the call."""

    @property
    def label(self) -> str:
        """The label in the margin."""
        return self.kind if self.call is None else f"{self.kind} {self.call + 1}"

    def to_dict(self) -> dict[str, Any]:
        """Returns the part as plain JSON data."""
        found: dict[str, Any] = {"kind": self.kind, "start": self.start, "end": self.end}
        return found if self.call is None else {**found, "index": self.call}


class Finding(NamedTuple):
    """Something that is said about a place."""

    start: int
    end: int
    severity: str
    said: str


class _Line(NamedTuple):
    start: int
    text: str

    @property
    def end(self) -> int:
        return self.start + len(self.text)


def write_marked(
    source: str, parts: list[Part], findings: list[Finding], *, color: str = "auto"
) -> None:
    """Writes a text with its parts and findings.

    Args:
        source: the text.
        parts: what its stretches are; what is in none is markup.
        findings: what to say under the lines.
        color: `auto`, `always` or `never`; without rich nothing is coloured.
    """
    rows = list(_rows(source, parts, findings))
    wanted = color == "always" or (color == "auto" and sys.stdout.isatty())
    # Where rich is missing, rows without colour are better than an error.
    if not (wanted and _write_rich(rows, forced=color == "always")):
        write("".join("".join(text for text, _ in row).rstrip() + "\n" for row in rows))


def _rows(
    source: str, parts: list[Part], findings: list[Finding]
) -> Iterator[list[tuple[str, str]]]:
    """Yields the rows to be written, each as pieces with the name of a style."""
    ordered = _Parts(parts)
    lines = _lines(source)
    labels = [_labels(line, ordered) for line in lines]
    width = max([len("markup"), *map(len, labels)])
    waiting = sorted(findings, key=lambda finding: finding.start)
    for line, label in zip(lines, labels, strict=True):
        row = [(f"{label.ljust(width)} | ", "margin")]
        row += [(_shown(text), kind) for text, kind in _pieces(line, ordered)]
        yield row
        # What was found after the last character, such as a missing closer, goes below the last
        # line.
        last = line is lines[-1]
        # A finding at the line end belongs to this line: the next one begins a character later.
        while waiting and (waiting[0].start <= line.end or last):
            finding = waiting.pop(0)
            # A place after the end is marked at the end.
            at = max(0, min(finding.start, line.end) - line.start)
            marked = line.text[at : max(at, finding.end - line.start)]
            indent = " " * _width(_shown(line.text[:at]))
            # `^` alone marks a place without a width: something is missing there.
            mark = "^" + "~" * (_width(_shown(marked)) - 1)
            margin = (" " * width + " | ", "margin")
            yield [margin, (f"{indent}{mark} {one_line(finding.said)}", finding.severity)]


def _lines(source: str) -> list[_Line]:
    """Returns the lines of a text; one that ends with a line end has no empty last line."""
    lines: list[_Line] = []
    start = 0
    for text in source.split("\n"):
        lines.append(_Line(start, text))
        start += len(text) + 1
    return lines[:-1] if len(lines) > 1 and not lines[-1].text else lines


class _Parts:
    """Disjoint parts, to be found by a place."""

    def __init__(self, parts: list[Part]) -> None:
        self._parts = sorted(parts, key=lambda part: part.start)
        self._starts = [part.start for part in self._parts]
        self._ends = [part.end for part in self._parts]

    def within(self, line: _Line) -> list[Part]:
        """Returns the parts of which a line has a character."""
        # Both lists rise together, since parts do not overlap.
        first, last = bisect_right(self._ends, line.start), bisect_left(self._starts, line.end)
        return self._parts[first:last]


def _labels(line: _Line, parts: _Parts) -> str:
    """Returns the text of the margin: the labels of the parts with visible characters on the line."""
    found = [
        part.label if isinstance(part, Part) else "markup"
        for part, text in _cut(line, parts)
        if text.strip()
    ]
    # Each label once, in the order of the line.
    return "+".join(dict.fromkeys(found))


def _pieces(line: _Line, parts: _Parts) -> Iterator[tuple[str, str]]:
    for part, text in _cut(line, parts):
        yield text, "markup" if part is None else part.kind


def _cut(line: _Line, parts: _Parts) -> Iterator[tuple[Part | None, str]]:
    """Yields the pieces of a line, each with its part."""
    place = line.start
    for part in parts.within(line):
        # A part may have begun in an earlier line, and may end in a later one.
        start, end = max(part.start, place), min(part.end, line.end)
        if start > place:
            yield None, line.text[place - line.start : start - line.start]
        if end > start:
            yield part, line.text[start - line.start : end - line.start]
        place = max(place, end)
    if place < line.end:
        yield None, line.text[place - line.start :]


def _shown(text: str) -> str:
    return printable(text.replace("\t", _TAB))


def _width(shown: str) -> int:
    """Returns how many columns a text takes on a terminal."""
    columns = 0
    for character in shown:
        # These stand on the character before, and take no column.
        if unicodedata.combining(character) or unicodedata.category(character) == "Cf":
            continue
        columns += 2 if unicodedata.east_asian_width(character) in _WIDE else 1
    return columns


def _write_rich(rows: list[list[tuple[str, str]]], *, forced: bool) -> bool:
    """Writes the rows in colour; returns whether that was possible."""
    try:
        from rich.console import Console
        from rich.text import Text
    except ImportError:
        return False
    console = Console(
        # None lets rich look itself whether it writes to a terminal.
        force_terminal=forced or None,
        color_system="standard" if forced else "auto",
        # Lines are not broken: the marks below would stand under the wrong row.
        soft_wrap=True,
        highlight=False,
    )
    for row in rows:
        # `Text`, since a model's `[bold]` is not our markup.
        console.print(Text.assemble(*((text, _STYLES[style]) for text, style in row)))
    return True

r"""Tracks Markdown code in a message: fenced blocks, and inline code across a line end.

Behind "Like so:\n```xml\n" a block is open; behind "Write `" inline code is.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from toolgrammar.values.patterns import late

if TYPE_CHECKING:
    from toolgrammar.catalogue.format import Format

# Behind the marks of quotations and lists, and however far it stands in: rather one block too many.
_FENCE: Final = (
    r"^(?P<indent>[ \t]*(?:(?:>|[-*+][ \t]|\d{1,9}[.)][ \t])[ \t]*)*)"
    r"(?P<fence>`{3,}|~{3,})(?P<info>[^\n]*)$"
)
_LINE = late(_FENCE)
_TICKS = late(r"`+")
_SPELLED = late(r"```|`\{\d")
"""A fence in the expression of a terminal."""


@dataclass(frozen=True, slots=True)
class FormatMarks:
    """The markup of a format for code and reasoning."""

    has_fences: bool = False
    """Whether fences are part of its wire."""
    reasoning: tuple[tuple[str, str], ...] = ()
    """The openers of reasoning, each with its closer."""

    @classmethod
    def of(cls, format_: Format | None) -> FormatMarks:
        """Returns the marks of a format; empty ones for an unknown format."""
        if format_ is None:
            return cls()
        tables = format_.tables
        has_fences = any(
            "```" in each.text or _SPELLED.search(each.pattern) for each in tables.terminals
        )
        tags = tables.reasoning_tags.items()
        return cls(has_fences, tuple((opener, closer) for closer, opener in tags))


class CodeBlocks:
    """Whether the text so far ends in code; calls in it are skipped, for they hold data."""

    __slots__ = ("_blank", "_closer", "_fence", "_indent", "_spans", "_tick", "_wrapped")

    def __init__(self) -> None:
        self._fence = ""
        """The opener of the open block; "" outside of blocks."""
        self._indent = 0
        self._closer = ""
        """The closer of the open reasoning; "" outside of reasoning."""
        self._blank = True
        """Whether the line holds nothing yet, so that a fence may begin in it."""
        self._tick = 0
        """How many backticks opened the inline code that is open in the line; 0 outside of any."""
        self._wrapped = 0
        """The same, where the code may have begun in the line before."""
        self._spans = False
        """Whether it did: it goes over one end of a line, so a stray backtick ends soon."""

    @property
    def in_block(self) -> bool:
        """Whether the next character is in a fenced block."""
        return bool(self._fence)

    @property
    def in_line(self) -> bool:
        """Whether the next character is in inline code."""
        return bool(self._tick or self._wrapped)

    def read(self, text: str, marks: FormatMarks) -> None:
        """Reads the text before a call."""
        # Markdown ends lines with a lone carriage return, too.
        text = text.replace("\r\n", "\n").replace("\r", "\n")
        first = text.find("\n")
        self._see_ticks(text, marks)
        # A line that a call has begun is not a fence any more.
        start = 0 if self._blank else (len(text) if first < 0 else first + 1)
        for match in _expression(marks.reasoning).finditer(text, start):
            if match["fence"]:
                self._see_fence(match["indent"], match["fence"], match["info"])
            else:
                self._see_tag(match[0], marks)
        last = text.rpartition("\n")[2]
        if first >= 0:
            self._blank = True
        self._blank = self._blank and not last.strip()

    def skip(self, call: str) -> None:
        """Reads the text of a call."""
        self._blank = self._blank and not call
        # Inline code that is open ends with its line, here within the call.
        if "\n" in call or "\r" in call:
            self._tick = self._wrapped = 0

    def _see_ticks(self, text: str, marks: FormatMarks) -> None:
        """Tracks inline code, within a line and across a line end."""
        lines = text.split("\n")
        for place, line in enumerate(lines):
            if place:
                self._tick = 0
                # The last line goes on with the call, so it is never blank.
                ends = self._spans or (not line.strip() and place < len(lines) - 1)
                self._wrapped = 0 if ends else self._wrapped
                self._spans = bool(self._wrapped)
            fence = _LINE.match(line) if place or self._blank else None
            if fence and (fence["fence"][0] == "~" or "`" not in fence["info"]):
                self._tick = self._wrapped = 0
                continue
            for run in _TICKS.finditer(line):
                # Where fences are the wire, three backticks are a call, and text may wrap freely.
                short = len(run[0]) < 3
                opens = short or (not marks.has_fences and bool(line[: run.start()].strip()))
                self._tick = _toggled(self._tick, len(run[0]), opens=opens)
                wrapped = _toggled(self._wrapped, len(run[0]), opens=opens)
                if wrapped != self._wrapped:
                    self._spans = False
                self._wrapped = 0 if marks.has_fences else wrapped

    def _see_fence(self, indent: str, fence: str, info: str) -> None:
        if not self._fence:
            # What follows the backticks of inline code that begins a line may hold more of them.
            if fence[0] == "~" or "`" not in info:
                self._fence, self._indent = fence, len(indent)
        # As in CommonMark: at least as long as the opener, nothing after it, and at most three
        # columns further in.
        elif fence.startswith(self._fence) and not info.strip() and len(indent) <= self._indent + 3:
            self._fence = ""

    def _see_tag(self, tag: str, marks: FormatMarks) -> None:
        # A block that was begun in reasoning ends with it, whether it was closed or not. A tag in a
        # block is code itself.
        if self._closer and tag == self._closer:
            self._closer = self._fence = ""
        elif not self._closer and not self._fence:
            self._closer = dict(marks.reasoning).get(tag, "")


def _toggled(tick: int, run: int, *, opens: bool) -> int:
    """Returns how many backticks the open inline code has after a run of them."""
    if tick:
        # As in Markdown: as many backticks close the code as have opened it; others stand in it.
        return 0 if tick == run else tick
    return run if opens else 0


@lru_cache(maxsize=64)
def _expression(reasoning: tuple[tuple[str, str], ...]) -> re.Pattern[str]:
    """Returns the expression of fences and the tags of reasoning."""
    tags = "|".join(re.escape(tag) for pair in reasoning for tag in pair)
    # A tag in the line of a fence is part of the line, so fences go first.
    return re.compile(f"{_FENCE}|{tags}" if tags else _FENCE, re.MULTILINE)

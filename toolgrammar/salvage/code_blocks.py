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
_DEEP = late(r"\t| {4}")
"""The indentation of a line of code."""
_TICKS = late(r"(?<!\\)(?P<escape>\\*+)(?P<ticks>`+)")
_MOST_OPEN = 8
"""The number of open runs of backticks in a line that are remembered; one makes a call part of code."""
_WITH_FENCE = late(r"```|`\{\d")
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
            "```" in each.text or _WITH_FENCE.search(each.pattern) for each in tables.terminals
        )
        tags = tables.reasoning_tags.items()
        return cls(has_fences, tuple((opener, closer) for closer, opener in tags))


class CodeBlocks:
    """Whether the text so far ends in code; calls in it are skipped, for they hold data."""

    __slots__ = ("_blank", "_closer", "_fences", "_spans", "_ticks", "_wrapped")

    def __init__(self) -> None:
        # A fence far in is one in an item of a list, and elsewhere code that is indented: a block
        # that either reading has open holds data.
        self._fences = (_Fences(takes_any_indent=True), _Fences(takes_any_indent=False))
        self._closer = ""
        """The closer of the open reasoning; "" outside of reasoning."""
        self._blank = True
        """Whether the line holds nothing yet, so that a fence may begin in it."""
        self._ticks: tuple[int, ...] = ()
        """The runs of backticks that may have opened inline code in the line: their lengths."""
        self._wrapped: tuple[int, ...] = ()
        """The open runs of backticks of the line before, in which inline code may have begun."""
        self._spans = False
        """Whether it did: it goes over one end of a line, so a stray backtick ends soon."""

    @property
    def in_block(self) -> bool:
        """Whether the next character is in a fenced block."""
        return any(each.fence for each in self._fences)

    @property
    def in_line(self) -> bool:
        """Whether the next character is in inline code."""
        return bool(self._ticks or self._wrapped)

    def read(self, text: str, marks: FormatMarks) -> None:
        """Reads the text before a call, and the line end with which the call begins."""
        # Markdown ends lines with a lone carriage return, too.
        text = text.replace("\r\n", "\n").replace("\r", "\n")
        first, last = text.find("\n"), text.rfind("\n") + 1
        self._see_ticks(text, marks)
        # A line that a call has begun is not a fence any more.
        start = 0 if self._blank else (len(text) if first < 0 else first + 1)
        for match in _expression(marks.reasoning).finditer(text, start):
            if match["fence"]:
                for fences in self._fences:
                    fences.see(match, is_whole=match.start() < last)
            else:
                self._see_tag(match[0], marks)
        if first >= 0:
            self._blank = True
        self._blank = self._blank and not text[last:].strip()

    def skip(self, call: str) -> None:
        """Reads the text of a call."""
        self._blank = self._blank and not call
        # Inline code that is open ends with its line, here within the call.
        if "\n" in call or "\r" in call:
            self._ticks = self._wrapped = ()

    def _see_ticks(self, text: str, marks: FormatMarks) -> None:
        """Tracks inline code, within a line and across a line end."""
        lines = text.split("\n")
        for place, line in enumerate(lines):
            if place:
                self._ticks = ()
                # The last line goes on with the call, so it is never blank.
                ends = self._spans or (not line.strip() and place < len(lines) - 1)
                self._wrapped = () if ends else self._wrapped
                self._spans = bool(self._wrapped)
            fence = _LINE.match(line) if place or self._blank else None
            if fence and _opens_block(fence):
                self._ticks = self._wrapped = ()
                continue
            for run in _TICKS.finditer(line):
                # Where fences are the wire, three backticks are a call, and text may wrap freely.
                opens = not marks.has_fences or len(run["ticks"]) < 3
                self._ticks = _paired(self._ticks, run, opens=opens)
                wrapped = _paired(self._wrapped, run, opens=opens)
                if wrapped != self._wrapped:
                    self._spans = False
                self._wrapped = () if marks.has_fences else wrapped

    def _see_tag(self, tag: str, marks: FormatMarks) -> None:
        # A block that was begun in reasoning ends with it, whether it was closed or not. A tag in a
        # block is code itself.
        if self._closer and tag == self._closer:
            self._closer = ""
            for fences in self._fences:
                fences.end()
        elif not self._closer and not self.in_block:
            self._closer = dict(marks.reasoning).get(tag, "")


class _Fences:
    """The fenced block that is open, in one reading of how far in a fence may stand."""

    __slots__ = ("_indent", "_takes_any_indent", "fence")

    def __init__(self, *, takes_any_indent: bool) -> None:
        self._takes_any_indent = takes_any_indent
        self._indent = 0
        self.fence = ""
        """The opener of the block; "" outside of blocks."""

    def see(self, line: re.Match[str], *, is_whole: bool) -> None:
        """Reads a line that begins with a fence.

        Args:
            line: the match of `_FENCE`.
            is_whole: whether the line ends there; the text of a call goes on with it otherwise.
        """
        indent, fence = line["indent"], line["fence"]
        if not self._takes_any_indent and _DEEP.search(indent):
            return
        if not self.fence:
            if _opens_block(line):
                self.fence, self._indent = fence, len(indent)
        # As in CommonMark: at least as long as the opener, nothing after it, and at most three
        # columns further in.
        elif (
            is_whole
            and fence.startswith(self.fence)
            and not line["info"].strip()
            and len(indent) <= self._indent + 3
        ):
            self.fence = ""

    def end(self) -> None:
        """Ends the block."""
        self.fence = ""


def _opens_block(line: re.Match[str]) -> bool:
    """Whether a line that begins with a fence may open a block, and is not inline code."""
    # What follows the backticks of inline code that begins a line holds more of them.
    return line["fence"][0] == "~" or "`" not in line["info"]


def _paired(ticks: tuple[int, ...], run: re.Match[str], *, opens: bool) -> tuple[int, ...]:
    """Returns the runs that may have opened inline code, after one more.

    As in Markdown: a run closes the code that one of its length has opened, and what stands
    between them opened none. A backslash takes the first backtick out of a run that opens.
    """
    length = len(run["ticks"])
    if length in ticks:
        return ticks[: ticks.index(length)]
    length -= len(run["escape"]) % 2
    return (*ticks, length) if opens and length and len(ticks) < _MOST_OPEN else ticks


@lru_cache(maxsize=64)
def _expression(reasoning: tuple[tuple[str, str], ...]) -> re.Pattern[str]:
    """Returns the expression of fences and the tags of reasoning."""
    tags = "|".join(re.escape(tag) for pair in reasoning for tag in pair)
    # A tag in the line of a fence is part of the line, so fences go first.
    return re.compile(f"{_FENCE}|{tags}" if tags else _FENCE, re.MULTILINE)

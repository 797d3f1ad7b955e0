"""Finds where the text of a message is quoted: in a block of code, in a fence of a format.

A call that stands there is an example. What has been found out is kept: each text is searched once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from toolgrammar.values.patterns import compile_pattern

if TYPE_CHECKING:
    import re
    from collections.abc import Sequence

    from toolgrammar.core.message.source import Source


class Quote(NamedTuple):
    """What opens and what ends quoted text."""

    opener: str
    end: str


_ITEM: Final = r"(?: {4,16}|\t{1,4}| {0,3}(?:(?:[-*+]|\d{1,9}[.)])[ \t]{1,4}){1,3})"
"""What stands before a fence in an item of a list: its marks, or where that goes on, white space."""
FENCES = [
    Quote(
        r"(?m:^ {0,3}`{3,9}(?:md|markdown)[ \t]*\n)",
        r"(?m:^ {0,3}`{3,9}(?P<inner>\w[^`\n]*)?[ \t]*$)",
    ),
    Quote(r"(?m:^ {0,3}`{3,9}[^`\n]*\n)", r"(?m:^ {0,3}`{3,9}[ \t]*$)"),
    Quote(r"(?m:^ {0,3}~~~[^\n]*\n)", r"(?m:^ {0,3}~~~[ \t]*$)"),
    *(
        Quote(rf"(?m:^{_ITEM}{mark}[^`\n]*\n)", rf"(?m:^[ \t]{{0,16}}{mark}[ \t]*$)")
        for mark in ("`{3,9}", "~~~")
    ),
]
"""The fenced blocks of Markdown, in items of lists too; those of Markdown itself hold others."""
LONG_FENCES = [Quote(r"(?m:^ {0,3}`{4,9}[^`\n]*\n)", r"(?m:^ {0,3}`{4,9}[ \t]*$)")]
"""Those that hold blocks."""
_LONGEST_START: Final = 64
"""Characters of a line before a place that are searched again from there on, at most."""


class Quoted:
    """Where quoted text of one format begins and ends in one message, as far as it was asked."""

    def __init__(self, found: Sequence[Quote]) -> None:
        self._openers = [
            (compile_pattern(each.opener), compile_pattern(each.end)) for each in found
        ]
        self._place = 0
        """Offset up to which is known what is quoted; in a line that may be a fence, its start."""
        self._end: re.Pattern[str] | None = None
        """What ends the quoted text there; None outside of it."""
        self.began = -1
        """Offset where the quoted text begins that was asked for last; -1 outside of any."""
        self._inner = 0
        """How many quoted texts are open within it."""
        self._asked: list[tuple[int, int, re.Pattern[str] | None, int, int]] = []
        """The places that were asked for, with what was so there."""

    def holds(self, source: Source, place: int, free: int) -> bool:
        """Whether the text at a place is quoted.

        Args:
            source: the message.
            place: an offset; those asked for in their order cost least.
            free: the end of the last island: nothing in it opens or ends quoted text.
        """
        # A place before the last one is asked for: go back to what was known there.
        while self._asked and self._asked[-1][0] > place:
            self._asked.pop()
            self._place, self._end, self.began, self._inner = (
                self._asked[-1][1:] if self._asked else (0, None, -1, 0)
            )
        # A fence in the payload of a call is data, so the search skips to the end of the call.
        self._place = max(self._place, free)
        before = min(1, self._place)  # for anchors
        text = source.slice(self._place - before, place)
        at = before
        ahead: list[re.Match[str] | None] = []
        while True:
            if self._end is not None:
                match = self._end.search(text, at)
                if match is None:
                    break
                at = match.end()
                # In a block of `markdown` another block may open, with its language, and close
                # without ending it.
                self._inner += 1 if match.groupdict().get("inner") else -1
                if self._inner >= 0:
                    continue
                self._end, self.began, self._inner = None, -1, 0
            # The first one wins, of two at one place the one that is listed first: `md` before any
            # language.
            ahead = self._next_openers(text, at, ahead)
            opened = [(m, end) for m, (_, end) in zip(ahead, self._openers, strict=True) if m]
            if not opened:
                break
            match, self._end = min(opened, key=lambda pair: pair[0].start())
            self.began = self._place - before + match.end()
            at = match.end()
        # The line of the place may become a fence with what follows: where marks are indented, a
        # format that opens with them asks for their place before the line has ended.
        line = max(at, text.rfind("\n") + 1)
        first = self._place - before
        self._place = first + line if len(text) - line <= _LONGEST_START else place
        self._asked.append((place, self._place, self._end, self.began, self._inner))
        return self._end is not None

    def _next_openers(
        self, text: str, start: int, before: Sequence[re.Match[str] | None]
    ) -> list[re.Match[str] | None]:
        """Returns for each opener its first match from an index on.

        Args:
            text: where they are searched for.
            start: the index.
            before: the same from an earlier index on; empty where none was asked for.
        """
        if not before:
            return [each.search(text, start) for each, _ in self._openers]
        # What lies ahead is searched for once. Many blocks of one kind would have all of the text
        # searched for the other kinds behind each of them.
        return [
            found if found is None or found.start() >= start else each.search(text, start)
            for found, (each, _) in zip(before, self._openers, strict=True)
        ]

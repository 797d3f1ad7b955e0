"""Finds the quoted parts of a message: its code blocks, and the fences of a format.

Example: a `<tool_call>` between two lines of three backticks is quoted, so a call there is an
example. The results are kept, so that each part of the text is searched once.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple

from toolgrammar.values.patterns import compile_pattern, late

if TYPE_CHECKING:
    from collections.abc import Sequence

    from toolgrammar.core.message.source import Source


class Quote(NamedTuple):
    """The regular expressions of what opens and what ends quoted text."""

    opener: str
    end: str
    sign: str = ""
    """A text that the opener contains: without it nothing has to be compiled or searched."""


_ITEM: Final = r"(?: {4,16}|\t{1,4}| {0,3}(?:(?:[-*+]|\d{1,9}[.)])[ \t]{1,4}){1,3})"
"""The text before a fence in a list item: the item's marks, or white space on its later lines."""
_MARKDOWN_NAMES: Final = "(?i:md|markdown)"
SHOWING_FENCE: Final = late(
    rf"(?:`{{3,}}|~{{3,}})[ \t]*(?:{_MARKDOWN_NAMES}|mdx|html|diff|patch|rst|tex|latex|org|adoc|asciidoc"
    r"|log|output|example)\b[^\n]*\n\Z",
    re.IGNORECASE,
)
"""The opening line of a block in a language of texts, in which models do not write calls."""
_MARKDOWN: Final = Quote(
    rf"(?m:^ {{0,3}}`{{3,9}}(?:{_MARKDOWN_NAMES})[ \t\r]*\n)",
    r"(?m:^ {0,3}`{3,9}(?P<inner>\w[^`\n]*)?[ \t\r]*$)",
    "```",
)
_TILDES: Final = Quote(r"(?m:^ {0,3}~{3,9}[^\n]*\n)", r"(?m:^ {0,3}~{3,9}[ \t\r]*$)", "~~~")
# In a text with the line ends of Windows, `$` stands behind the carriage return.
FENCES: Final = (
    _MARKDOWN,
    Quote(r"(?m:^ {0,3}`{3,9}[^`\n]*\n)", r"(?m:^ {0,3}`{3,9}[ \t\r]*$)", "```"),
    _TILDES,
    *(
        Quote(
            rf"(?m:^{_ITEM}{mark}{{3,9}}[^`\n]*\n)",
            rf"(?m:^[ \t]{{0,16}}{mark}{{3,9}}[ \t\r]*$)",
            mark * 3,
        )
        for mark in "`~"
    ),
)
"""The fenced code blocks of Markdown, also in list items.

A block of the language `markdown` may contain other blocks.
"""
OUTER_FENCES: Final = (
    _MARKDOWN,
    Quote(r"(?m:^ {0,3}`{4,9}[^`\n]*\n)", r"(?m:^ {0,3}`{4,9}[ \t\r]*$)", "````"),
    _TILDES,
)
"""Blocks that may contain blocks with fences of three backticks: those of Markdown, of longer fences,
or of tildes."""
_LONGEST_START: Final = 64
"""The most characters of a line before a place that are searched again for a fence."""


class Quoted:
    """The quoted parts of one message, found up to the last place that was asked for."""

    def __init__(self, quotes: tuple[Quote, ...]) -> None:
        self._quotes = quotes
        self._place = 0
        """The offset up to which the text was searched; in a possible fence, its line's start."""
        self._end: re.Pattern[str] | None = None
        """The expression of the end of the quoted text at that offset; None outside of quoted text."""
        self.began = -1
        """The offset where that quoted text begins; -1 outside of quoted text."""
        self._inner = 0
        """The number of inner blocks that are open in that quoted text."""
        self._asked: list[tuple[int, int, re.Pattern[str] | None, int, int]] = []
        """The places that were asked for, each with the state above at that place."""

    def holds(self, source: Source, place: int, island_end: int) -> bool:
        """Whether the text at an offset is quoted.

        Args:
            source: the message.
            place: the offset; asking for offsets in ascending order costs least.
            island_end: the end of the last island, in which nothing opens or ends quoted text.
        """
        # If an earlier place is asked for, the state that was known there is restored.
        while self._asked and self._asked[-1][0] > place:
            self._asked.pop()
            self._place, self._end, self.began, self._inner = (
                self._asked[-1][1:] if self._asked else (0, None, -1, 0)
            )
        # A fence in the payload of a call is data, so the search skips to the end of the call.
        self._place = max(self._place, island_end, source.visible_from)
        before = min(1, self._place - source.visible_from)  # for anchors
        text = source.slice(self._place - before, place)
        at = before
        ahead: list[re.Match[str] | None] = []
        while True:
            if self._end is not None:
                match = self._end.search(text, at)
                if match is None:
                    break
                at = match.end()
                # In a block of `markdown` an inner block may open, with its language, and close
                # without ending the outer one.
                self._inner += 1 if match.groupdict().get("inner") else -1
                if self._inner >= 0:
                    continue
                self._end, self.began, self._inner = None, -1, 0
            # The first opener in the text wins. Of two at one place it is the one that is listed
            # first: `md` before any language.
            ahead = self._next_openers(text, at, ahead)
            opened = [(m, each) for m, each in zip(ahead, self._quotes, strict=True) if m]
            if not opened:
                break
            match, quote = min(opened, key=lambda pair: pair[0].start())
            self._end = compile_pattern(quote.end)
            self.began = self._place - before + match.end()
            at = match.end()
        # The line of the place may become a fence when more of it comes: a format whose openers are
        # fences asks for the place of an indented one before its line has ended.
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
            text: the text that is searched.
            start: the index.
            before: the matches from an earlier index on, in the same order; empty if there are
                none.
        """
        openers = _openers(self._quotes)
        if not before:
            return [
                each.search(text, start) if quote.sign in text else None
                for each, quote in zip(openers, self._quotes, strict=True)
            ]
        # A match that lies ahead is kept. Otherwise, after each of many blocks of one kind, all of
        # the text would be searched for the other kinds again.
        return [
            found if found is None or found.start() >= start else each.search(text, start)
            for found, each in zip(before, openers, strict=True)
        ]


class Blocks:
    """The code blocks of one message."""

    def __init__(self) -> None:
        self._all, self._outer = Quoted(FENCES), Quoted(OUTER_FENCES)
        self.began = -1
        """The offset where the content begins of the block around the last place, or -1."""
        self.may_nest = False
        """Whether that block may contain other blocks."""

    def look(self, source: Source, place: int, island_end: int) -> None:
        """Finds the block around an offset of a message; `island_end` is the end of the last island."""
        # Both are asked for each place: text before an island is searched no more behind it.
        is_inside = self._all.holds(source, place, island_end)
        # A block in a longer fence, or in one of Markdown, may show fences of three backticks.
        self.may_nest = self._outer.holds(source, place, island_end)
        self.began = self._all.began if is_inside else self._outer.began


@lru_cache(maxsize=256)
def _openers(quotes: tuple[Quote, ...]) -> list[re.Pattern[str]]:
    return [late(each.opener) for each in quotes]

"""Reads the text between two tokens of damaged JSON: white space and comments.

Example: `// why` is dropped with a repair `comment`, up to the line end, a no-break space with
`space`; white space of JSON is held until the next value begins. `// ... and so on` says that values
were left out, so its repair is doubted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgrammar.core.payloads.json.tokens import space_run
from toolgrammar.core.payloads.mended.look import DOTS, MOST_DOTS, ODD_SPACES, More
from toolgrammar.core.payloads.mended.state import COMMENT, START
from toolgrammar.tools.json_tokens import SPACES
from toolgrammar.values.patterns import late

if TYPE_CHECKING:
    from toolgrammar.core.payloads.mended.state import State

_DOTS = late(DOTS)
_ODD_SPACE = late(f"[{ODD_SPACES}]+")


class Gaps:
    """Reads white space and comments."""

    def __init__(self, state: State) -> None:
        self._source = state.source
        self._state = state
        self.comment_from = 0
        """The offset in the source of the open comment."""
        self._kind = ""
        """The opener of the comment, as far as it has come."""
        self._head = ""
        """The first characters of its text, as many as dots have."""
        self._return_to = START
        """The mode to which the reader returns after it."""

    def take(self) -> bool:
        """Reads the text between tokens; returns False if a token begins instead."""
        source, state = self._source, self._state
        text, start = source.text, source.pos
        character = text[start]
        if character in SPACES:
            end = space_run.match(text, start).end()
            source.go(end)
            # White space before the value is not a part of it.
            if state.mode != START:
                state.hold(text[start:end], start)
            return True
        if character == "/" or character == "#":  # noqa: PLR1714 - the hottest test
            return self._begin_comment(character)
        if character == "\\":
            # `\n` between tokens means a line end: the text was escaped once too often.
            if start + 1 == len(text) and not source.final:
                raise More
            if text[start + 1 : start + 2] not in ("n", "r", "t"):
                return False
            end = start + 2
        elif (odd := _ODD_SPACE.match(text, start)) is not None:
            end = odd.end()
        else:
            return False
        state.repair("space", start, end, "")
        source.go(end)
        return True

    def _begin_comment(self, kind: str) -> bool:
        """Begins a comment; returns False if the character begins none."""
        source, start = self._source, self._source.pos
        if kind == "/":
            # A slash alone is undecided: `//` or `/*` may come.
            if start + 1 == len(source.text) and not source.final:
                raise More
            kind = source.text[start : start + 2]
            if kind not in ("//", "/*"):
                return False
        self.comment_from, self._kind = source.base + start, kind
        self._head, self._return_to = "", self._state.mode
        source.go(start + len(kind))
        self._state.expect(COMMENT)
        return True

    def read_comment(self) -> None:
        """Continues a comment."""
        source, is_block = self._source, self._kind == "/*"
        text, start = source.text, source.pos
        # The line end after `//` stays: it is white space of JSON.
        ends = ("*/",) if is_block else ("\n", "\r")
        found = [place for end in ends if (place := text.find(end, start)) >= 0]
        if len(self._head) < MOST_DOTS:
            self._head = (self._head + text[start : min(found, default=None)]).lstrip()[:MOST_DOTS]
        if found:
            source.go(min(found) + (2 if is_block else 0))
            repair = self._state.repair("comment", self.comment_from - source.base, source.pos, "")
            repair.judge(doubt=repair.doubt or _DOTS.match(self._head) is not None)
            self._state.expect(self._return_to)
            return
        # The first half of `*/` may have come.
        if is_block and text.endswith("*", start) and not source.final:
            source.go(len(text) - 1)
            raise More
        source.go(len(text))

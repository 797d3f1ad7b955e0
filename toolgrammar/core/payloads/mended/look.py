"""Holds the text that is not read yet, and looks ahead in it within a bound.

A look reaches at most `REACH` characters plus the depth of the stack. What is not decided by then
counts as plausible. If the text so far ends before that, `More` is raised, and the question is
asked again when more text has come: so the answer depends on the text alone. Example: after
`{"a": "x"` a look for what follows the string raises `More`, until a chunk or the end comes.
"""

from __future__ import annotations

from typing import Final

from toolgrammar.core.payloads.json.tokens import space_run
from toolgrammar.values.patterns import anywhere

REACH: Final = 256
"""The number of characters that a lookahead examines."""
CLOSING_QUOTES: Final = {
    '"': '"',
    "'": "'",
    "`": "`",
    "\u201c": "\u201d",
    "\u201d": "\u201d",
    "\u201e": "\u201c",
    "\u2018": "\u2019",
    "\u2019": "\u2019",
}
"""The closing quote of each quote that may open a string."""

# No-break and zero-width spaces, byte order marks: copied text has them between tokens.
ODD_SPACES: Final = "\x00\x0b\x0c\x1c-\x1f\x85\xa0\u1680\u180e\u2000-\u200f\u2028\u2029\u202f\u205f\u2060\u3000\ufeff"
DOTS: Final = r"(?:\.{3}|\u2026)"
"""The beginning of a comment or of text without quotes that stands for omitted values."""
MOST_DOTS: Final = 3
"""The most characters that they have."""
BLOCK_COMMENT: Final = r"/\*(?:[^*]++|\*(?!/))*+\*/"
# `\n` as two characters counts, too: the text may be escaped once too often.
blank_run = anywhere(
    rf"(?:[ \t\n\r{ODD_SPACES}]++|\\[nrt]|(?://|\#)[^\n\r]*+[\n\r]|{BLOCK_COMMENT})*+"
)
"""White space and comments between tokens."""
_PAD = anywhere(rf"(?:[ \t{ODD_SPACES}]++|\\[nrt])*+")


class More(Exception):  # noqa: N818 - it is no error
    """The text so far is too short to decide."""


class Undecided(Exception):  # noqa: N818 - it is no error
    """A look reached its bound."""


class Source:
    """The text that is not read yet, the current position in it, and the bound of a look."""

    def __init__(self) -> None:
        self.text = ""
        self.pos = 0
        self.base = 0
        """The offset in the source of the first character of `text`."""
        self.final = False
        """Whether no more text comes."""
        self._limit = 0
        """The index where the current look ends, whether text up to it has come or not."""
        self.stop = 0
        """The index where it ends in the text so far."""

    # Moving

    def go(self, pos: int) -> None:
        """Moves the reader to an index."""
        self.pos = pos

    def extend(self, piece: str, end: int, *, final: bool) -> None:
        """Drops the text that was read; appends a piece, which ends at an offset of the source."""
        # One character before the rest is kept, for anchors and look-behinds of the markup's
        # patterns.
        keep = max(self.pos - 1, 0)
        self.text = self.text[keep:] + piece
        self.base = end - len(self.text)
        self.pos -= keep
        self.final = final

    def pass_by(self, last: str) -> None:
        """Skips text that was read elsewhere; its last character is kept."""
        self.text, self.pos = last, 1

    def replace(self, text: str, base: int) -> None:
        """Replaces the text by another one, which begins at an offset of the source."""
        self.text, self.base, self.pos = text, base, 0

    # Looking

    def look(self, start: int, depth: int) -> None:
        """Begins a look at an index, with `depth` brackets open."""
        # Closing brackets must not use up the look, however many are open.
        self._limit = start + REACH + depth
        self.stop = min(len(self.text), self._limit)

    def at(self, index: int) -> str:
        """Returns the character at an index, "" at the end of the text.

        Raises:
            More: the text so far is too short.
            Undecided: the index is beyond the look.
        """
        if index < self.stop:
            return self.text[index]
        if self._limit <= len(self.text):
            # The look ends before the text does; if the text ended first, more of it might come.
            raise Undecided
        if self.final:
            return ""
        raise More

    def ask(self, index: int) -> None:
        """Requires the text up to an index, as far as the look reaches."""
        self.at(min(index, self._limit))

    def blank(self, index: int) -> int:
        """Returns the index where white space and comments end."""
        end = blank_run.match(self.text, index, self.stop).end()
        # This character may begin a comment, or an escape that means white space.
        if self.at(end) in ("/", "#", "\\") and not self.final and self._comment_is_open(end):
            raise More
        return end

    def _comment_is_open(self, index: int) -> bool:
        """Whether a comment begins here whose end may still come."""
        if self._limit <= len(self.text):
            return False
        begun = self.text[index : index + 2]
        return begun in ("/", "//", "/*", "\\") or begun[0] == "#"

    def past_space(self, index: int) -> int:
        """Returns the index where the white space of JSON ends."""
        return space_run.match(self.text, index, self.stop).end()

    def past_pad(self, index: int) -> int:
        """Returns the end of what is dropped between tokens in one line."""
        end = _PAD.match(self.text, index, self.stop).end()
        if self.at(end) == "\\":
            self.at(end + 1)  # raises `More` if the escape may continue
        return end

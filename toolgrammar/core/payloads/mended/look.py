"""Holds the text that is not read yet, and lets a reader look ahead in it.

A look goes at most `REACH` characters and the depth of the stack far. What is not decided by then
counts as going on well. Where the text so far ends before that, `More` says so, and the question
is asked again when there is more: so the answer depends on the text alone. Example: behind
`{"a": "x"` a look for what follows the string raises `More`, until a chunk or the end comes.
"""

from __future__ import annotations

from typing import Final

from toolgrammar.core.payloads.json.tokens import space_run
from toolgrammar.values.patterns import anywhere

REACH: Final = 256
"""Characters that a look goes ahead."""
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
"""By each quote that may open a string, the one that closes it."""

# No-break and zero-width spaces, byte order marks: what copied text has between tokens.
ODD_SPACES: Final = "\x00\x0b\x0c\x1c-\x1f\x85\xa0\u1680\u180e\u2000-\u200f\u2028\u2029\u202f\u205f\u2060\u3000\ufeff"
# `\n` as two characters counts, too: the text may be escaped once too often.
_BLANK = anywhere(
    rf"(?:[ \t\n\r{ODD_SPACES}]++|\\[nrt]|//[^\n\r]*+[\n\r]|\#[^\n\r]*+[\n\r]|"
    r"/\*[^*]*+\*++(?:[^/*][^*]*+\*++)*+/)*+"
)
_PAD = anywhere(rf"(?:[ \t{ODD_SPACES}]++|\\[nrt])*+")


class More(Exception):  # noqa: N818 - it is no error
    """The text so far does not decide."""


class Undecided(Exception):  # noqa: N818 - it is no error
    """A look reached its end."""


class Source:
    """The text that is not read yet, where the reader stands in it, and how far a look goes."""

    def __init__(self) -> None:
        self.text = ""
        self.pos = 0
        self.base = 0
        """Offset in the source of the first character of `text`."""
        self.final = False
        """Whether the text ends with what has come."""
        self._limit = 0
        """Where the current look ends, whether that much text has come or not."""
        self.stop = 0
        """Where it ends in what has come."""

    # Moving

    def go(self, pos: int) -> None:
        """Moves the reader to an index."""
        self.pos = pos

    def extend(self, piece: str, end: int, *, final: bool) -> None:
        """Drops what is read and adds a piece, which ends at an offset of the source."""
        # One character stays before the rest, for anchors and look-behinds of the markup's patterns.
        keep = max(self.pos - 1, 0)
        self.text = self.text[keep:] + piece
        self.base = end - len(self.text)
        self.pos -= keep
        self.final = final

    def pass_by(self, last: str) -> None:
        """Steps behind text that was taken without being looked at; its last character stays."""
        self.text, self.pos = last, 1

    def replace(self, text: str, base: int) -> None:
        """Reads another text, which begins at an offset of the source."""
        self.text, self.base, self.pos = text, base, 0

    # Looking

    def look(self, start: int, depth: int) -> None:
        """Begins a look at an index, with so many brackets open."""
        # Closing brackets must not use up the look, however many are open.
        self._limit = start + REACH + depth
        self.stop = min(len(self.text), self._limit)

    def at(self, index: int) -> str:
        """Returns the character there, "" at the end of the text.

        Raises:
            More: the text so far does not tell.
            Undecided: the look does not go that far.
        """
        if index < self.stop:
            return self.text[index]
        if self._limit <= len(self.text):
            # The look ends before the text does; where the text ends first, more of it may come.
            raise Undecided
        if self.final:
            return ""
        raise More

    def ask(self, index: int) -> None:
        """Asks for the text up to an index, as far as the look goes."""
        self.at(min(index, self._limit))

    def blank(self, index: int) -> int:
        """Returns where white space and comments end."""
        end = _BLANK.match(self.text, index, self.stop).end()
        # What is only begun may go on as a comment, or as an escape that stands for white space.
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
        """Returns where the white space of JSON ends."""
        return space_run.match(self.text, index, self.stop).end()

    def past_pad(self, index: int) -> int:
        """Returns where ends what is dropped between tokens of a line."""
        end = _PAD.match(self.text, index, self.stop).end()
        if self.at(end) == "\\":
            self.at(end + 1)  # asks for more text where the escape may go on
        return end

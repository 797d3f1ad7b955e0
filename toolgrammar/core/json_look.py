"""Looks at what follows in a JSON text that may be damaged: blanks, keys, the begin of a value.

A look goes at most `REACH` characters and the depth of the stack far. What is not decided by then
counts as going on well. Where the text so far ends before that, `More` says so, and the question
is asked again when there is more: so the answer depends on the text alone.
"""

from __future__ import annotations

import re
from typing import Final

from toolgrammar.core.json_frames import Frame, key_of
from toolgrammar.core.json_repairs import Repair
from toolgrammar.core.json_tokens import space_run
from toolgrammar.values.patterns import anywhere, late

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

ODD_SPACES: Final = "\x00\x0b\x0c\x1c-\x1f\x85\xa0\u1680\u180e\u2000-\u200f\u2028\u2029\u202f\u205f\u2060\u3000\ufeff"
_BLANK = anywhere(
    rf"(?:[ \t\n\r{ODD_SPACES}]++|\\[nrt]|//[^\n\r]*+[\n\r]|\#[^\n\r]*+[\n\r]|"
    r"/\*[^*]*+\*++(?:[^/*][^*]*+\*++)*+/)*+"
)
_PAD = anywhere(rf"(?:[ \t{ODD_SPACES}]++|\\[nrt])*+")
KEY_BODIES = {
    close: anywhere(rf"(?:[^{close}\\\n\r]++|\\.)*+") for close in set(CLOSING_QUOTES.values())
}
_BARE_KEY = late(r"[^\W\d][\w$-]{0,63}")
_LITERALS = late(r"(?:true|false|null)\b", re.IGNORECASE)


class More(Exception):  # noqa: N818 - it is no error
    """The text so far does not decide."""


class Undecided(Exception):  # noqa: N818 - it is no error
    """A look reached its end."""


class Look:
    """The text that is not read yet, the open brackets, and what may be seen of what follows."""

    __slots__ = (
        "_limit",
        "_stop",
        "base",
        "doubled",
        "final",
        "inner_quoted",
        "pos",
        "repairs",
        "stack",
        "strict",
        "text",
    )

    def __init__(self) -> None:
        self.text = ""
        self.pos = 0
        self.base = 0
        """Offset in the source of the first character of `text`."""
        self.final = False
        self.strict = True
        """Whether all so far is strict JSON."""
        self.stack: list[Frame] = []
        self.repairs: list[Repair] = []
        self.doubled = False
        """Whether every quote is written twice."""
        self.inner_quoted = False
        """Whether the open string has quotes inside."""
        self._limit = self._stop = 0

    def repair(
        self,
        code: str,
        start: int,
        end: int,
        replacement: str | None = None,
        *,
        join: bool = True,
    ) -> Repair:
        """Notes a repair at places in `text`; one that goes on where the last ended may join it."""
        self.strict = False
        start, end = self.base + start, self.base + end
        if join and start < end and self.repairs:
            last = self.repairs[-1]
            if last.code == code and last.end == start:
                last.end = end
                if replacement is not None:
                    self.edit(last, start, end, replacement)
                return last
        new = Repair(code, start, end, self.stack[-1].place() if self.stack else "$")
        self.repairs.append(new)
        if replacement is not None:
            new.edits.append((start, end, replacement))
        return new

    def edit(self, repair: Repair, start: int, end: int, replacement: str) -> None:
        """Adds an edit at offsets of the source."""
        repair.edits.append((start, end, replacement))

    # Looking

    def look(self, start: int) -> None:
        """Begins a look from here."""
        self._limit = start + REACH + len(self.stack)
        self._stop = min(len(self.text), self._limit)

    def at(self, index: int) -> str:
        """Gives the character there, "" at the end of the text."""
        if index < self._stop:
            return self.text[index]
        if self._limit <= len(self.text):
            raise Undecided
        if self.final:
            return ""
        raise More

    def blank(self, index: int) -> int:
        """Gives where white space and comments end."""
        end = _BLANK.match(self.text, index, self._stop).end()
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
        """Gives where the white space of JSON ends."""
        return space_run.match(self.text, index, self._stop).end()

    def past_pad(self, index: int) -> int:
        """Gives where ends what is dropped between tokens of a line."""
        end = _PAD.match(self.text, index, self._stop).end()
        if self.at(end) == "\\":
            self.at(end + 1)  # asks for more text where the escape may go on
        return end

    def reads_key(
        self, index: int, frame: Frame, *, at_end: bool = True, colon: bool = True
    ) -> bool:
        """Whether a key of this object and a colon stand here; `at_end` if the text ends before.

        Without `colon` one that the schema knows will do if a value follows, or a quote is missing.
        """
        close = CLOSING_QUOTES.get(self.at(index))
        if close is None:
            if not colon and self._lacks_opener(index, frame):
                return True
            return self._reads_bare_key(index, frame, at_end=at_end)
        width = 2 if self.doubled and close == '"' == self.at(index + 1) else 1
        match = KEY_BODIES[close].match(self.text, index + width, self._stop)
        end, key = match.end(), key_of(match.group())
        if not colon and self._lacks_closer(index + width, match.group(), frame):
            return True
        if end == self._stop and not frame.may_have_begun(key):
            return False
        character = self.at(end)
        if character == "\\" and not self.at(end + 1):
            character = ""  # the escape goes on where the look ends
        if not character:
            return at_end and frame.may_have_begun(key)
        if character != close or not frame.may_have(key):
            return False
        if width > 1 and self.at(end + 1) != close:
            return False
        index = self.blank(end + width)
        character = self.at(index)
        if not character:
            return at_end
        gap = not colon and frame.is_judged and self.begins_value(index)
        return character in ":=" or gap

    def _lacks_closer(self, start: int, body: str, frame: Frame) -> bool:
        """Whether a key that the schema knows, and a colon, stand behind a quote with no other one."""
        if not frame.is_judged or (colon := body.find(":")) < 0:
            return False
        return frame.may_have(body[:colon]) and self.begins_value(self.blank(start + colon + 1))

    def _lacks_opener(self, index: int, frame: Frame) -> bool:
        """Whether a key that the schema knows, a quote and a colon stand here."""
        match = _BARE_KEY.match(self.text, index, self._stop) if frame.is_judged else None
        if match is None or self.at(match.end()) not in CLOSING_QUOTES:
            return False
        return frame.may_have(match.group()) and self.at(self.blank(match.end() + 1)) == ":"

    def _reads_bare_key(self, index: int, frame: Frame, *, at_end: bool) -> bool:
        match = _BARE_KEY.match(self.text, index, self._stop)
        if match is None:
            return False
        character = self.at(match.end())
        if not character:
            return at_end and frame.may_have_begun(match.group())
        if not frame.may_have(match.group()):
            return False
        index = self.blank(match.end())
        character = self.at(index)
        if character != ":":
            return at_end and not character
        if frame.is_judged:
            return True
        index = self.blank(index + 1)
        character = self.at(index)
        return not character or self.begins_value(index)

    def begins_value(self, index: int) -> bool:
        """Whether a value other than bare text begins here."""
        character = self.at(index)
        if character.lower() in ("t", "f", "n"):
            self.at(min(index + 5, self._limit))
            return _LITERALS.match(self.text, index) is not None
        return character in CLOSING_QUOTES or character in "{[-0123456789"

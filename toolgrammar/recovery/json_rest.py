"""Reads what follows a JSON value: brackets too many, prose, or another value."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolgrammar.core.json_look import CLOSING_QUOTES, ODD_SPACES
from toolgrammar.core.json_repairs import Repair
from toolgrammar.values.patterns import late

if TYPE_CHECKING:
    from toolgrammar.core.json_ahead import LookAhead

_JSON_SPACE: Final = " \t\n\r"
_ODD = late(f"[{ODD_SPACES}]")
_COMMENT = late(r"//[^\n\r]*|\#[^\n\r]*|/\*[^*]*+\*++(?:[^/*][^*]*+\*++)*+/")
_OPENER = late(r"[{\[]")
_AFTER_BRACE = late(r"\{\s*+(?:[}\"'`“\w$/#]|\Z)")
_AFTER_BRACKET = late(
    r"\[\s*+(?:[\]\"'`“{\[\-0-9/#]|(?i:true|false|null|none|nan)\b|\Z|(?i:[tfn]\w{0,4})\Z)"
)
_NEXT_KEY = late(r",\s*+[\"'][^\"'\n]{0,64}[\"']\s*+:")
WINDOW: Final = 256
"""Characters behind a bracket, a comma or a comment's begin that decide what it is."""


def may_go_on(text: str, opener: int) -> bool:
    """Whether an object or array can go on from the bracket there."""
    pattern = _AFTER_BRACE if text[opener] == "{" else _AFTER_BRACKET
    return pattern.match(text, opener, opener + WINDOW) is not None


def follows_root(look: LookAhead, index: int) -> bool:
    """Whether what stands at an index can follow a whole value that stands by itself."""
    character = look.at(index)
    while character and character in "}])":
        index = look.blank(index + 1)
        character = look.at(index)
    if not character:
        return True
    if character == ",":
        index = look.blank(index + 1)
        if look.at(index) == "{" and look.stack and look.stack[0].is_judged:
            return look.reads_key(look.blank(index + 1), look.stack[0].anew())
        return look.at(index) == ""
    return character not in '":' and not (look.inner_quoted and _string_goes_on(look, index))


def _string_goes_on(look: LookAhead, index: int) -> bool:
    """Whether what seems to follow the value ends as the open string would: it is a part of it."""
    closers = [frame.closer for frame in reversed(look.stack)]
    while closers and (character := look.at(index)) and character not in "{[":
        index += 1
        if character in CLOSING_QUOTES and _closes(look, index, closers):
            return True
    return False


def _closes(look: LookAhead, index: int, closers: list[str]) -> bool:
    for closer in closers:
        index = look.past_space(index)
        if look.at(index) != closer:
            return False
        index += 1
    return True


class Rest:
    """Takes what follows the value, piece by piece; notes a repair for each kind of it."""

    def __init__(self, base: int) -> None:
        self.repairs: list[Repair] = []
        self.start: int | None = None
        """The offset of the first character that is no white space."""
        self._text = ""
        self._base = base
        self._prose: Repair | None = None
        self._is_over = False

    def feed(self, text: str, *, final: bool = False) -> None:
        """Takes the next piece."""
        text = self._text + text
        position = 0
        while position < len(text):
            if self._is_over:
                position = len(text)
            elif len(text) - position < WINDOW and not final and text[position] in "/#,{[":
                break
            elif self._prose is None:
                position = self._step(text, position)
            else:
                position = self._prose_step(text, position)
        if final and self.repairs and self.repairs[-1].end < 0:
            self._end_at(self.repairs[-1], self._base + len(text))
        self._text = text[position:]
        self._base += position

    def _note(self, code: str, start: int, end: int | None = None) -> Repair:
        """Notes a repair; without an end it goes to the end of the text."""
        repair = Repair(code, self._base + start, -1, "$")
        self.repairs.append(repair)
        if end is not None:
            self._end_at(repair, self._base + end)
        return repair

    def _end_at(self, repair: Repair, end: int) -> None:
        repair.end = end
        repair.edits = [(repair.start, end, "")]

    def _step(self, text: str, position: int) -> int:
        """Takes one token directly behind the value; gives where it ends."""
        character = text[position]
        if character in _JSON_SPACE:
            return position + 1
        if self.start is None:
            self.start = self._base + position
        if character in "/#":
            comment = _COMMENT.match(text, position, position + WINDOW)
            if comment is not None and comment.end() < position + WINDOW:
                self._note("comment", position, comment.end())
                return comment.end()
        elif _ODD.match(character):
            return self._extend("space", position)
        elif character in "}])":
            self._extend("extra-closer", position)
            self.repairs[-1].doubt = False
            return position + 1
        elif character == ",":
            if not _NEXT_KEY.match(text, position, position + WINDOW):
                return self._extend("stray-comma", position)
            self._second(position)
            return position
        self._prose = self._note("around", position)
        return position

    def _extend(self, code: str, position: int) -> int:
        last = self.repairs[-1] if self.repairs else None
        if last is not None and last.code == code and last.end == self._base + position:
            self._end_at(last, last.end + 1)
        else:
            self._note(code, position, position + 1)
        return position + 1

    def _prose_step(self, text: str, position: int) -> int:
        """Looks for another value; gives where the look has come to."""
        match = _OPENER.search(text, position)
        if match is None:
            return len(text)
        if match.start() == position:
            if may_go_on(text, position):
                self._second(position)
            return position + 1
        return match.start()

    def _second(self, position: int) -> None:
        """Notes that another value, which is not read, begins here."""
        prose = self._prose
        if prose is not None:
            self._end_at(prose, self._base + position)
            if prose.end == prose.start:
                self.repairs.remove(prose)
        self._note("extra-value", position)
        self._is_over = True

"""Reads the text after a JSON value: extra brackets, prose, or another value.

After a value, `}} Done. {"b": 2}` is two extra closers, prose, and a second value.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolgrammar.core.evidence.member_behind import MOST, goes_on
from toolgrammar.core.payloads.mended.ahead import Around
from toolgrammar.core.payloads.mended.look import (
    BLOCK_COMMENT,
    CLOSING_QUOTES,
    ODD_SPACES,
    REACH,
    More,
)
from toolgrammar.core.payloads.mended.repairs import Repair
from toolgrammar.tools.json_tokens import LITERAL
from toolgrammar.values.patterns import late

if TYPE_CHECKING:
    from toolgrammar.core.payloads.mended.ahead import LookAhead
    from toolgrammar.core.payloads.mended.look import Source

_JSON_SPACE: Final = " \t\n\r"
_ODD = late(f"[{ODD_SPACES}]")
_COMMENT = late(rf"(?://|\#)[^\n\r]*|{BLOCK_COMMENT}")
_OPENER = late(r"[{\[]")
_FENCE_END = late(r"(?<=\n)```[ \t]{0,16}(?=[\n\r]|\Z)")
_FENCE_END_BEGUN = late(r"(?<=\n)`{1,3}[ \t]{0,16}\Z")
_QUOTES: Final = "".join(CLOSING_QUOTES)
# What may follow a bracket that opens a value. Prose may have brackets: `[see below]`.
_AFTER_BRACE = late(rf"\{{\s*+(?:[}}{_QUOTES}\w$/#]|\Z)")
_AFTER_BRACKET = late(
    # The text may end within a word: `[tr` may become `[true]`.
    rf"\[\s*+(?:[\]{_QUOTES}{{\[\-0-9/#]|(?i:{LITERAL}|none|nan)\b|\Z|(?i:[tfn]\w{{0,4}})\Z)"
)
WINDOW: Final = 256
"""Characters behind the value, a bracket or a comment's begin that decide what it is."""


def may_go_on(text: str, opener: int) -> bool:
    """Whether an object or array can go on from the bracket there."""
    pattern = _AFTER_BRACE if text[opener] == "{" else _AFTER_BRACKET
    return pattern.match(text, opener, opener + WINDOW) is not None


class Text(Around):
    """The text around a value: prose, extra brackets, or nothing."""

    __slots__ = ()

    alone = False

    def follows(self, look: LookAhead, index: int) -> bool:
        """Whether the text at an index can follow the whole value."""
        at, blank = look.source.at, look.source.blank
        character = at(index)
        # Brackets too many may follow a whole value: `{"a": 1}}`.
        while character and character in "}])":
            index = blank(index + 1)
            character = at(index)
        if not character:
            return True
        # `{"a": 1}, {"a": 2}`: another object may follow, if its first key is one of the schema's.
        if character == ",":
            index = blank(index + 1)
            stack = look.state.stack
            if at(index) == "{" and stack and stack[0].is_judged:
                return look.reads_key(blank(index + 1), stack[0].anew())
            return at(index) == ""
        # A whole value has no colon after it, and no quote: what seemed to end it was within a
        # string.
        return character not in '":' and not (
            look.string.inner_quoted and _string_goes_on(look, index)
        )

    def stops(self, look: LookAhead, index: int) -> bool:
        """Whether a fence that ends the block of code, and the value with it, is in this line."""
        source = look.source
        if not source.final and _FENCE_END_BEGUN.match(source.text, index):
            raise More
        return _FENCE_END.match(source.text, index) is not None

    def ends_frame(self, look: LookAhead, index: int) -> bool:
        """Whether a fence ends the value at an index, although brackets are open."""
        if look.string.inner_quoted or not self.stops(look, index):
            return False
        # In `{"md": "5" wide\n```\n"}` the fence is text of the string, whose own quote follows.
        near = look.source.text[index : index + REACH]
        if '"' in near:
            return not look.closes_later(index)
        if not look.source.final and len(near) < REACH:
            raise More
        return True

    def frame_goes_on(self, look: LookAhead, index: int, level: int) -> bool:
        """Whether a fence that ends the value follows the root."""
        return level == 0 and self.stops(look, index)


def _string_goes_on(look: LookAhead, index: int) -> bool:
    """Whether what seems to follow the value ends as the open string would: it is a part of it."""
    # All brackets that are open have to close after the quote, for the value ends with them.
    closers = [frame.closer for frame in reversed(look.state.stack)]
    while closers and (character := look.source.at(index)) and character not in "{[":
        index += 1
        if character in CLOSING_QUOTES and _closes(look.source, index, closers):
            return True
    return False


def _closes(source: Source, index: int, closers: list[str]) -> bool:
    for closer in closers:
        index = source.past_space(index)
        if source.at(index) != closer:
            return False
        index += 1
    return True


def _begins_member(behind: str) -> bool:
    """Whether the text behind an object begins with another member of it, whatever its name."""
    # No prose ends within a word in quotes: `{"a": 1} "b` is cut. A comma alone is one too many.
    is_quote = behind.lstrip().startswith(('"', "'"))
    return goes_on(behind[:MOST], None, final=True, is_cut=is_quote) is True


class Rest:
    """Reads the text after the value, piece by piece; records a repair for each kind."""

    def __init__(self, base: int, *, is_object: bool) -> None:
        """Makes a reader of the text from an offset on, behind a value that may be an object."""
        self.repairs: list[Repair] = []
        self.start: int | None = None
        """The offset of the first character that is not white space."""
        self.in_line: Repair | None = None
        """The comma or the prose that begins in the line in which the value ends."""
        self._is_object = is_object
        self._gap = ""
        """White space before the next token: "\\n" if a line ends in it, " " for any other."""
        self._text = ""
        self._base = base
        self._prose: Repair | None = None
        self._is_over = False

    def feed(self, text: str, *, final: bool = False) -> None:
        """Accepts the next piece."""
        text = self._text + text
        position = 0
        while position < len(text):
            if self._is_over:
                position = len(text)
            # What begins a comment, a member or another value is judged with a window of text
            # behind it.
            elif len(text) - position < WINDOW and not final and self._waits(text[position]):
                break
            elif self._prose is None:
                position = self._step(text, position)
            else:
                position = self._prose_step(text, position)
        # What has no end by itself, as prose, goes to the end of the text.
        if final and self.repairs and self.repairs[-1].end < 0:
            self._end_at(self.repairs[-1], self._base + len(text))
        self._text = text[position:]
        self._base += position

    def _waits(self, character: str) -> bool:
        """Whether what a character begins can't be told without more text."""
        is_first = self._is_object and self._prose is None
        return character in "/#,{[" or (is_first and character not in _JSON_SPACE + "}])")

    def _note(self, code: str, start: int, end: int | None = None) -> Repair:
        """Records a repair; without an end it extends to the end of the text."""
        repair = Repair(code, self._base + start, -1, "$")
        self.repairs.append(repair)
        if end is not None:
            self._end_at(repair, self._base + end)
        return repair

    def _end_at(self, repair: Repair, end: int) -> None:
        repair.extend(end)
        repair.rewrite((repair.start, end, ""))

    def _step(self, text: str, position: int) -> int:
        """Reads one token directly after the value; returns its end."""
        character = text[position]
        if character in _JSON_SPACE:
            self._gap = "\n" if "\n" in (self._gap, character) else " "
            return position + 1
        gap, self._gap = self._gap, ""
        if self.start is None:
            self.start = self._base + position
        comment = _COMMENT.match(text, position, position + WINDOW) if character in "/#" else None
        # A comment that fills the window is taken for prose.
        if comment is not None and comment.end() < position + WINDOW:
            self._note("comment", position, comment.end())
            return comment.end()
        if _ODD.match(character):
            return self._extend("space", position)
        if character in "}])":
            self._extend("extra-closer", position)
            # Behind the whole value, a bracket too many can't have changed it.
            self.repairs[-1].judge(doubt=False)
            return position + 1
        # As in `{"a": 1}, "b": 2}`, where the object was closed too early.
        if self._is_object and _begins_member(gap + text[position : position + WINDOW]):
            self._second(position)
            return position
        if character == ",":
            position = self._extend("stray-comma", position)
        else:
            self._prose = self._note("around", position)
            # Of `{}city` the key may have lost its quote to the bracket.
            self._prose.judge(doubt=self._is_object and not gap and character.isalnum())
        if "\n" not in gap and character != "`":
            self.in_line = self.repairs[-1]
        return position

    def _extend(self, code: str, position: int) -> int:
        last = self.repairs[-1] if self.repairs else None
        # Brackets that follow each other are one repair, however the text was cut.
        if last is not None and last.code == code and last.end == self._base + position:
            self._end_at(last, last.end + 1)
        else:
            self._note(code, position, position + 1)
        return position + 1

    def _prose_step(self, text: str, position: int) -> int:
        """Searches for another value; returns the offset up to which it has searched."""
        match = _OPENER.search(text, position)
        if match is None:
            return len(text)
        # First the prose up to the bracket; the bracket when it stands first, with a window behind
        # it.
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
            # The second value follows at once: there was no prose.
            if prose.end == prose.start:
                self.repairs.remove(prose)
        self._note("extra-value", position)
        self._is_over = True

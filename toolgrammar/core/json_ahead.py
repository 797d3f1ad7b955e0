"""Looks ahead in a JSON text that may be damaged: which quote ends a string, which bracket what.

A look goes at most `REACH` characters and the depth of the stack far. What is not decided by then
counts as going on well. Where the text so far ends before that, `More` says so, and the question
is asked again when there is more: so the answer depends on the text alone.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from toolgrammar.core.json_frames import Frame, key_of
from toolgrammar.core.json_repairs import Repair
from toolgrammar.core.json_runs import end_and_item, next_item, next_key
from toolgrammar.core.json_tokens import space_run
from toolgrammar.values.patterns import anywhere, late

if TYPE_CHECKING:
    from collections.abc import Callable

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
KEY_BODIES = {
    close: anywhere(rf"(?:[^{close}\\\n\r]++|\\.)*+") for close in set(CLOSING_QUOTES.values())
}
_STRICT_KEY = anywhere(r'(?:[^"\\\x00-\x1f]++|\\.)*+')
_BARE_KEY = late(r"[^\W\d][\w$-]{0,63}")
_BARE_ITEM = anywhere(r"[^\"'`“”\n\r,\[\]{}:]*+")
_LITERALS = late(r"(?:true|false|null)\b", re.IGNORECASE)
_VALUE_STARTS: Final = frozenset('"{[-0123456789tfn')


class More(Exception):  # noqa: N818 - it is no error
    """The text so far does not decide."""


class Undecided(Exception):  # noqa: N818 - it is no error
    """A look reached its end."""


class LookAhead:
    """The text that is not read yet, the open brackets, and questions about what follows."""

    __slots__ = (
        "_limit",
        "_stop",
        "alone",
        "base",
        "final",
        "follows",
        "inner_quoted",
        "pos",
        "repairs",
        "stack",
        "stops",
        "strict",
        "text",
    )

    def __init__(
        self,
        follows: Callable[[LookAhead, int], bool] | None,
        stops: Callable[[str, int], bool] | None,
    ) -> None:
        self.text = ""
        self.pos = 0
        self.base = 0
        """Offset in the source of the first character of `text`."""
        self.final = False
        self.strict = True
        """Whether all so far is strict JSON."""
        self.stack: list[Frame] = []
        self.repairs: list[Repair] = []
        self.inner_quoted = False
        """Whether the open string has quotes inside."""
        self.follows = follows
        self.alone = follows is None
        """Whether the last bracket ends the value, whatever follows."""
        self.stops = stops
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

    def reads_key(
        self, index: int, frame: Frame, *, at_end: bool = True, colon: bool = True
    ) -> bool:
        """Whether a key of this object and a colon stand here; `at_end` if the text ends before.

        Without `colon` one that the schema knows will do if a value follows.
        """
        close = CLOSING_QUOTES.get(self.at(index))
        if close is None:
            return self._reads_bare_key(index, frame, at_end=at_end)
        match = KEY_BODIES[close].match(self.text, index + 1, self._stop)
        end, key = match.end(), key_of(match.group())
        if end == self._stop and not frame.may_have_begun(key):
            return False
        character = self.at(end)
        if character == "\\" and not self.at(end + 1):
            character = ""  # the escape goes on where the look ends
        if not character:
            return at_end and frame.may_have_begun(key)
        if character != close or not frame.may_have(key):
            return False
        index = self.blank(end + 1)
        character = self.at(index)
        if not character:
            return at_end
        gap = not colon and frame.is_judged and self.begins_value(index)
        return character in ":=" or gap

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

    def _begins_item(self, index: int, frame: Frame) -> bool:
        """Whether an item of this array begins here, behind a comma."""
        character = self.at(index)
        item = frame.guide.item() if frame.guide is not None else None
        if item is not None and not item.may_begin(character):
            if not item.takes_text or character in "{[(":
                return False
        elif character in CLOSING_QUOTES or character in "{[(-+.0123456789":
            return True
        end = self.blank(_BARE_ITEM.match(self.text, index, self._stop).end())
        lacks_quote = self.at(end) == '"' and not self.inner_quoted
        return self.at(self.blank(end + 1) if lacks_quote else end) in (",", "]", "")

    def may_end(self, index: int) -> bool:
        """Whether what stands at an index may follow the whole value."""
        return self.follows is None or self.follows(self, index)

    # What may follow a string

    def goes_on_strictly(self, index: int) -> bool:
        """Whether strict JSON goes on behind a string."""
        level = len(self.stack) - 1
        while True:
            if level < 0 and self.alone:
                return True
            index = self.past_space(index)
            character = self.at(index)
            if not character:
                return True
            if level < 0:
                return self.may_end(index)
            frame = self.stack[level]
            if character == ",":
                return self._next_is_strict(self.past_space(index + 1), frame)
            if character != frame.closer:
                return False
            level -= 1
            index += 1

    def _next_is_strict(self, index: int, frame: Frame) -> bool:
        character = self.at(index)
        if not character:
            return True
        if not frame.is_object:
            return character in _VALUE_STARTS
        if character != '"':
            return False
        end = _STRICT_KEY.match(self.text, index + 1, self._stop).end()
        character = self.at(end)
        if character != '"':
            return not character
        return self.at(self.past_space(end + 1)) in (":", "")

    def goes_on(self, index: int) -> bool:
        """Whether something that can be meant goes on behind a string value."""
        return self.goes_on_plainly(index) or self._may_go_on(index)

    def goes_on_plainly(self, index: int) -> bool:
        """Whether the most usual goes on, which needs no longer look."""
        frame = self.stack[-1]
        if not frame.is_object:
            return frame.guide is None and next_item.match(self.text, index, self._stop) is not None
        key = next_key.match(self.text, index, self._stop)
        if key is not None:
            return frame.may_have(key[2])
        if frame.guide is not None or len(self.stack) < 2:
            return False
        around = self.stack[-2]
        if around.guide is not None or around.is_object:
            return False
        return end_and_item.match(self.text, index, self._stop) is not None

    def _may_go_on(self, index: int) -> bool:
        level = len(self.stack) - 1
        first, lacking = index, False
        while True:
            if level < 0 and self.alone:
                return not lacking
            index = self.blank(index)
            character = self.at(index)
            if not character:
                return not (lacking and self.inner_quoted)
            if level < 0:
                return not lacking and self.may_end(index)
            frame = self.stack[level]
            if character in "}])":
                below = self._closed_by(character, index, level)
                if below is None:
                    return False
                lacking = lacking or not all(
                    each.is_complete() for each in self.stack[below + 1 : level + 1]
                )
                level = below
                index += 1
                continue
            if lacking or self.ends_frame(index):
                return not lacking
            if character == ",":
                index = self._behind_commas(index)
                character = self.at(index)
                if not character:
                    return True
                if character in "}])":
                    continue
                return self._begins_next(index, frame)
            if frame.is_object:
                return character in CLOSING_QUOTES and self.reads_key(index, frame)
            parted = index > first or level < len(self.stack) - 1
            return parted and self.begins_value(index)

    def _behind_commas(self, index: int) -> int:
        while self.at(index) == ",":
            index = self.blank(index + 1)
        return index

    def _begins_next(self, index: int, frame: Frame) -> bool:
        if not frame.is_object:
            return self._begins_item(index, frame)
        if self.at(index) == "{":
            place = self.stack.index(frame)
            return place > 0 and not self.stack[place - 1].is_object
        return self.reads_key(index, frame, colon=False)

    def _closed_by(self, character: str, index: int, level: int) -> int | None:
        """Gives the level below what a bracket closes; None where it can't stand."""
        if character == ")" and self.opener_of(character, level) is None:
            return None
        found = self.level_closed(character, index, level)
        return level if found is None else found - 1

    def level_closed(self, character: str, index: int, level: int) -> int | None:
        """Gives the level that a bracket closes with all above it; None where it is too much.

        One that does not fit what is open closes down to its own kind, if what follows fits
        there, or else the innermost: it is of the wrong kind.
        """
        found = self.opener_of("]" if character == ")" else character, level)
        if found == level:
            return found
        index = self.blank(index + 1)
        if found is None:
            if not self.at(index) or self.frame_goes_on(index, level):
                return level
            return None
        if self.at(index) != ",":
            return found
        index = self._behind_commas(index)
        if not self.at(index):
            return found
        if found == 0:
            return None
        if not self._may_come(index, found - 1) and self._may_come(index, level - 1):
            return level
        return found

    def ends_frame(self, _index: int) -> bool:
        """Whether markup that ends the value stands here, though brackets are open."""
        return False

    def frame_goes_on(self, _index: int, _level: int) -> bool:
        """Whether, once a level is closed, what a message wants behind the value goes on."""
        return False

    def _may_come(self, index: int, level: int) -> bool:
        """Whether a member or an item of the bracket at a level begins here."""
        frame = self.stack[level]
        if frame.is_object:
            return self.reads_key(index, frame)
        keyed = self.at(index) in CLOSING_QUOTES and self.reads_key(index, Frame("{", None, ""))
        return self._begins_item(index, frame) and not keyed

    def opener_of(self, closer: str, level: int) -> int | None:
        """Gives the nearest level at or below `level` that a bracket closes."""
        is_object = closer == "}"
        while level >= 0:
            frame = self.stack[level]
            if frame.is_object == is_object and (closer != ")" or frame.closer == ")"):
                return level
            level -= 1
        return None

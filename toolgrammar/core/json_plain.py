"""Reads at once what needs no second look in a JSON text that may be damaged."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolgrammar.core.json_closers import Closers
from toolgrammar.core.json_duplicates import has_duplicates
from toolgrammar.core.json_look import REACH
from toolgrammar.core.json_runs import damaged_member, item, member, plain_strings, word
from toolgrammar.core.json_state import AFTER, FIRST_WINDOW, KEY, LONGEST_WINDOW, VALUE
from toolgrammar.core.json_words import scalar_of

if TYPE_CHECKING:
    import re

    from toolgrammar.core.json_frames import Frame
    from toolgrammar.core.json_guide import Guide

LEAST: Final = 256
"""Characters of text that make it worth while to look for a stretch."""
_BETWEEN: Final = " \t\n\r,/#"
_BLANKS: Final = " \t\n\r"
_ENOUGH: Final = 48
"""Characters in which a member may stand whole with what follows it; a stream seldom has them."""


class Plain(Closers):
    """Reads runs of strict members and items, and single tokens that plainly end.

    Whatever is read here would be read the same one character after the other.
    """

    __slots__ = ("_look_from", "_mended", "_pause", "_window", "max_depth")

    max_depth: int

    def set_up(self, guide: Guide | None, *, backticks: bool) -> None:
        """Sets what a new reader knows."""
        super().set_up(guide, backticks=backticks)
        self._look_from = 0
        """Before this offset of the source it does not pay to look for a stretch."""
        self._window = FIRST_WINDOW
        """So many characters are looked through at once in the object or array ..."""
        self._mended: Frame | None = None
        """... in which a stretch was mended last."""
        self._pause = FIRST_WINDOW // 2
        """So many are read in another way after a look that found little."""

    def is_free(self) -> bool:
        """Whether it pays to look for a run: much text, no schema and no other quotes to heed."""
        enough = len(self.text) - self.pos > _ENOUGH
        return enough and self.stack[-1].guide is None and not self.doubled

    def mends(self) -> bool:
        """Mends members or items at once, up to the last but one that shows; tells if it does.

        A look that finds little is not repeated soon, and ever later: so looks cost no more than
        a part of the rest.
        """
        start, window = self.pos, FIRST_WINDOW
        text, place = self.text, self.base + start
        if len(text) - start < LEAST or place < self._look_from or self.stops is not None:
            return False
        if text[start] in _BETWEEN:
            return False
        from toolgrammar.core.json_stretches import Stretch, mend  # most texts need none of it

        frame = self.stack[-1]
        if frame is self._mended:
            window = self._window
        found, end = mend(text, start, start + window, frame, self.max_depth - len(self.stack))
        if found is None or (found.end - start) * 4 < end - start:
            self._look_from = place + max(self._pause, (end - start) // 2)
            self._pause = min(self._pause * 2, LONGEST_WINDOW)
            self._mended = None
            if found is None:
                return False
        else:
            self._pause = FIRST_WINDOW // 2
            self._mended, self._window = frame, min(window * 4, LONGEST_WINDOW)
        self.insert_comma()
        if found.damaged:
            state = (self.state, frame.path, frame.members, self.strict)
            source = text[start : found.seen + REACH + 1]
            until = self.base + found.end
            self.stretches.append(Stretch(source, place, until, *state, found.doubts))
            self.strict = False
        self.release()
        self.out.append(found.written)
        frame.seen.update(found.keys)
        frame.members += found.members
        if found.keys:
            frame.key = found.keys[-1]
        self.pos = found.end
        self.value_ended()
        return True

    def look_from(self, offset: int) -> None:
        """Looks for no stretch before an offset of the source."""
        self._look_from = offset

    def items(self) -> bool:
        """Reads items that are strict and flat, and the comma after each; tells if there is one."""
        text, start = self.text, self.pos
        find = item().match
        match = find(text, start)
        if match is None:
            return False
        self.insert_comma()
        frame, end = self.stack[-1], start
        while match is not None and (text[end] != "{" or not has_duplicates(text, end)):
            comma, end = match.span(1)
            frame.members += 1
            match = find(text, end)
        if end == start:
            return False
        self.give_run(start, comma, end)
        return True

    def members(self) -> bool:
        """Reads members with plain values, and the comma after each; tells if there is one."""
        text, start = self.text, self.pos
        frame = self.stack[-1]
        find = member().match
        match = find(text, start)
        if match is None or match[1] in frame.seen:
            return False
        self.insert_comma()
        seen = frame.seen
        while match is not None and match[1] not in seen:
            seen.add(match[1])
            frame.members += 1
            comma, end = match.span(2)
            match = find(text, end)
        frame.key = ""
        self.give_run(start, comma, end)
        return True

    def damaged_members(self) -> bool:
        """Reads members with plain values whose writing is mended; tells if there is one."""
        begin = self.pos
        while True:
            match = damaged_member().match(self.text, self.pos)
            if match is None or not self._damaged_member(match):
                return self.pos > begin

    def _damaged_member(self, match: re.Match[str]) -> bool:
        """Takes one of them; false where it needs a closer look."""
        plain, single, bare, colon, scalar, literal, double, other, comma, gap = match.groups()
        frame, base = self.stack[-1], self.base
        key = plain or single or bare
        if key in frame.seen:
            return False
        value_start, value_end = match.end(4), match.end(5 if scalar else 6 if literal else 7)
        if other is not None:
            value_end = match.end(8) + 1
        if scalar is None and literal is None and comma is None and gap is None:
            # A string before the end of the object: what follows that end decides.
            self.look(value_end - 1)
            self.inner_quoted = False
            if not self.goes_on_plainly(value_end):
                return False
        self.insert_comma()
        self.release()
        start, key_end = self.pos, match.start(4)
        if plain is None:
            self._mend_key(start, key, quoted=single is not None)
        frame.seen.add(key)
        frame.members += 1
        frame.key = key
        value = scalar or double
        if value is None:
            value = self._mend_value(value_start, value_end, literal, other)
        key_end = start + len(key) + (0 if bare else 2)
        self.out.append(f'"{key}"{self.text[key_end : match.start(4)]}{colon}{value}')
        self.kept = len(self.repairs)
        self.pos = value_end
        if comma is not None:
            space = self.text[value_end : match.start(9)]
            if space:
                self.hold(space, value_end)
            self.comma = (len(self.held), base + match.start(9))
            self.hold(",", match.start(9))
            if len(comma) > 1:
                self.held.append(comma[1:])
            self.pos = match.end(9)
            frame.key = ""
            self.state = KEY
        elif gap is None:
            self.state = AFTER
            return False
        else:
            if gap:
                self.hold(gap, value_end)
            self.pos = match.end(10)
            frame.key = ""
            self.state = KEY
        return True

    def _mend_key(self, start: int, key: str, *, quoted: bool) -> None:
        place, end = self.base + start, self.base + start + len(key) + 2 * quoted
        self.stack[-1].key = ""
        code = "quote-style" if quoted else "bare-key"
        repair = self.repair(code, start, end - self.base, join=False)
        if quoted:
            repair.edits = [(place, place + 1, '"'), (end - 1, end, '"')]
        else:
            repair.edits = [(place, end, f'"{key}"')]

    def _mend_value(self, start: int, end: int, literal: str | None, other: str | None) -> str:
        if literal is not None:
            value = {"t": "true", "f": "false", "n": "null"}[literal[0].lower()]
            self.repair("literal", start, end, value)
            return value
        repair = self.repair("quote-style", start, end, join=False)
        repair.edits = [
            (repair.start, repair.start + 1, '"'),
            (repair.end - 1, repair.end, '"'),
        ]
        return f'"{other}"'

    def give_run(self, start: int, comma: int, end: int) -> None:
        """Gives out what was read at once up to a comma, which waits."""
        self.release()
        text, value_end = self.text, comma
        while text[value_end - 1] in _BLANKS:
            value_end -= 1
        self.out.append(text[start:value_end])
        if value_end < comma:
            self.hold(text[value_end:comma], value_end)
        self.note_comma(comma)
        if end > comma + 1:
            self.held.append(self.text[comma + 1 : end])
        self.pos = end

    def plain_word(self) -> bool:
        """Reads a number or literal that plainly ends; tells if there is one."""
        match = word.match(self.text, self.pos)
        if match is None or not self.stack:
            return False
        wanted = self.slot()
        scalar = scalar_of(match[1], wanted)
        if scalar is None:
            return False
        self.word_from = self.base + self.pos
        self.pos = match.end()
        self.give_scalar(match[1], scalar, wanted)
        return True

    def plain_string(self, quote: str) -> bool:
        """Reads a string that plainly ends; tells if there is one."""
        start = self.pos
        reader = plain_strings.get(quote)
        if reader is None or not self.stack or self.doubled:
            return False
        match = reader.match(self.text, start)
        if match is None or match.end() - start < 3:
            return False
        wanted = self.slot()
        if wanted is not None and not wanted.takes_text:
            return False
        end = match.end()
        self.inner_quoted = False
        self.look(end - 1)
        if not self._goes_on_behind_string(end):
            return False
        self.begin_value()
        text = match.group()
        if quote != '"':
            style = self.repair("quote-style", start, end, join=False)
            style.edits = [
                (style.start, style.start + 1, '"'),
                (style.end - 1, style.end, '"'),
            ]
            text = f'"{text[1:-1]}"'
        self.out.append(text)
        self.pos = end
        self.value_ended()
        return True

    def _goes_on_behind_string(self, end: int) -> bool:
        """Whether the most usual goes on behind a string that is not begun yet."""
        frame = self.stack[-1]
        if frame.key in frame.seen:
            return self.goes_on_plainly(end)
        frame.seen.add(frame.key)  # the same key does not go on
        try:
            return self.goes_on_plainly(end)
        finally:
            frame.seen.discard(frame.key)

    def plain_key(self, match: re.Match[str] | None, code: str) -> bool:
        """Takes a key without double quotes and its colon, if that is what stands here."""
        if match is None or (match.end() == len(self.text) and not self.final):
            return False
        self.insert_comma()
        start = self.pos
        quoted = code == "quote-style"
        self.key_from = (len(self.held), self.base + start, len(self.repairs))
        first, last = match.span(1)
        self.repair(code, start, last + quoted, join=False)
        repair, base = self.repairs[-1], self.base
        if quoted:
            repair.edits = [(base + start, base + first, '"'), (base + last, base + last + 1, '"')]
        else:
            repair.edits = [(base + start, base + last, f'"{match[1]}"')]
        self.hold(f'"{match[1]}"', start)
        self.held.append(self.text[last + quoted : match.end()])
        self.stack[-1].key = match[1]
        self.pos = match.end()
        self.state = VALUE
        return True

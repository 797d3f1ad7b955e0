"""Looks ahead in a JSON text that may be damaged: which quote ends a string, which bracket what."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolgrammar.core.json_frames import Frame
from toolgrammar.core.json_look import CLOSING_QUOTES, Look
from toolgrammar.core.json_runs import end_and_item, next_item, next_key
from toolgrammar.values.patterns import anywhere

if TYPE_CHECKING:
    from collections.abc import Callable

_STRICT_KEY = anywhere(r'(?:[^"\\\x00-\x1f]++|\\.)*+')
_BARE_ITEM = anywhere(r"[^\"'`“”\n\r,\[\]{}:]*+")
_CLOSERS = anywhere(r"[ \t\n\r}\])]*+")
_VALUE_STARTS: Final = frozenset('"{[-0123456789tfn')


class LookAhead(Look):
    """Questions about what follows that need the open brackets."""

    __slots__ = ("alone", "follows", "stops")

    def __init__(
        self,
        follows: Callable[[LookAhead, int], bool] | None,
        stops: Callable[[str, int], bool] | None,
    ) -> None:
        super().__init__()
        self.follows = follows
        self.alone = follows is None
        """Whether the last bracket ends the value, whatever follows."""
        self.stops = stops

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
                return self._lacks_comma(index, first, frame)
            parted = index > first or level < len(self.stack) - 1
            return parted and self.begins_value(index)

    def _lacks_comma(self, index: int, first: int, frame: Frame) -> bool:
        """Whether a key stands here with no comma before it; what is behind `first` is read."""
        quote = self.at(index)
        if quote not in CLOSING_QUOTES or not self.reads_key(index, frame):
            return False
        if not self.final or self.text[first - 1] != quote:
            return True
        # Only closers up to the end of the text are no key: this quote ends the string.
        end = _CLOSERS.match(self.text, index + 1, self._stop).end()
        return end < len(self.text) or not self.text[index + 1 : end].strip()

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

    def markup_follows(self, _index: int) -> bool:
        """Whether markup around the value stands behind a quote, at most brackets before it."""
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

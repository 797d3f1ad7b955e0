"""Looks ahead in damaged JSON: decides which quote ends a string, and what a bracket closes.

Example: in `{"a": "the "best" one", "b": 1}` neither a key nor a bracket follows the second quote
of the value, so the quote is part of the string; after the last one `, "b":` reads as the next
member.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, ClassVar, Final, TypeVar

from toolgrammar.core.payloads.json.tokens import inside_string, text_of
from toolgrammar.core.payloads.mended.frames import Frame
from toolgrammar.core.payloads.mended.look import CLOSING_QUOTES, REACH, More, Undecided
from toolgrammar.tools.json_tokens import COLONS, LITERAL, OTHER_COMMAS, PLAIN
from toolgrammar.values.patterns import anywhere, late

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from toolgrammar.core.payloads.mended.look import Source
    from toolgrammar.core.payloads.mended.open_string import OpenString
    from toolgrammar.core.payloads.mended.state import State

KEY_BODIES = {
    close: anywhere(rf"(?:[^{close}\\\n\r]++|\\.)*+") for close in set(CLOSING_QUOTES.values())
}
_STRICT_KEY = anywhere(rf"(?:[^{PLAIN}]++|\\.)*+")
_BARE_KEY = late(r"[^\W\d][\w$-]{0,63}")
_BARE_ITEM = anywhere(r"[^\"'`“”\n\r,\[\]{}:]*+")
_CLOSERS = anywhere(r"[ \t\n\r}\])]*+")
_LITERALS = late(rf"(?:{LITERAL})\b", re.IGNORECASE)
Answer = TypeVar("Answer")
_VALUE_STARTS: Final = frozenset('"{[-0123456789tfn')


class Around:
    """The markup around a value. This class is for none: the value ends with its last bracket."""

    alone = True
    """Whether the last bracket ends the value, whatever follows it."""
    framed = False
    """Whether the value is inside markup, which may also end it early."""
    inside: ClassVar[re.Pattern[str]] = inside_string
    """The pattern of a chunk that only continues a string."""

    def follows(self, _look: LookAhead, _index: int) -> bool:
        """Whether the text at an index may follow the whole value."""
        return True

    def stops(self, _look: LookAhead, _index: int) -> bool:
        """Whether, where a token may begin, something ends the value, complete or not."""
        return False

    def ends_frame(self, _look: LookAhead, _index: int) -> bool:
        """Whether markup that ends the value begins here, though brackets are open."""
        return False

    def markup_follows(self, _look: LookAhead, _index: int) -> bool:
        """Whether markup around the value follows a quote, with at most brackets between them."""
        return False

    def frame_goes_on(self, _look: LookAhead, _index: int, _level: int) -> bool:
        """Whether, once a level is closed, outer brackets and the markup after the value follow."""
        return False

    def ends_at_brackets(self, _look: LookAhead, _index: int) -> bool:
        """Whether the open string ended before brackets, so that its quote is missing."""
        return False

    def ends_at_markup(self, _look: LookAhead, _index: int) -> bool:
        """Whether the open string ended before markup, without its quote and brackets."""
        return False


class LookAhead:
    """Answers questions about the text that follows; it changes nothing."""

    def __init__(self, source: Source, state: State, string: OpenString, around: Around) -> None:
        self.source = source
        self.state = state
        self.string = string
        self.around = around

    def begin(self, start: int) -> None:
        """Begins a look ahead at an index."""
        self.source.look(start, len(self.state.stack))

    def answer(self, start: int, question: Callable[[], Answer], *, otherwise: Answer) -> Answer:
        """Answers a question about the text from an index on; `otherwise` if it reaches the bound."""
        self.begin(start)
        try:
            return question()
        except Undecided:
            return otherwise

    def follows(self, index: int, characters: Collection[str]) -> bool:
        """Whether one of these characters follows the one at an index; "" is the end of the text."""
        source = self.source
        return self.answer(
            index, lambda: source.at(source.blank(index + 1)) in characters, otherwise=False
        )

    def may_end(self, index: int) -> bool:
        """Whether the text at an index may follow the whole value."""
        return self.around.alone or self.around.follows(self, index)

    # Keys and values

    def reads_key(
        self, index: int, frame: Frame, *, at_end: bool = True, colon: bool = True
    ) -> bool:
        """Whether a key of this object and a colon are here; `at_end` if the text ends before that.

        Without `colon`, a key that the schema has is enough if a value follows, or a quote is
        missing.
        """
        source = self.source
        close = CLOSING_QUOTES.get(source.at(index))
        if close is None:
            if not colon and self._lacks_opener(index, frame):
                return True
            return self._reads_bare_key(index, frame, at_end=at_end)
        # `""a"": 1`, where every quote is written twice.
        doubled = self.state.doubled and close == '"' == source.at(index + 1)
        width = 2 if doubled else 1
        match = KEY_BODIES[close].match(source.text, index + width, source.stop)
        end, key = match.end(), text_of(match.group())
        if not colon and self._lacks_closer(index + width, match.group(), frame):
            return True
        # The key continues beyond the look: its beginning is enough to decide.
        if end == source.stop and not frame.may_have_begun(key):
            return False
        character = source.at(end)
        if character == "\\" and not source.at(end + 1):
            character = ""  # the escape continues where the look ends
        if not character:
            return at_end and frame.may_have_begun(key)
        if character != close or not frame.may_have(key):
            return False
        if width > 1 and source.at(end + 1) != close:
            return False
        index = source.blank(end + width)
        character = source.at(index)
        if not character:
            return at_end
        return character in COLONS or (not colon and frame.is_judged and self.begins_value(index))

    def _lacks_closer(self, start: int, body: str, frame: Frame) -> bool:
        """Whether a key of the schema and a colon follow a quote, and no closing quote does."""
        if not frame.is_judged or (colon := body.find(":")) < 0:
            return False
        return frame.may_have(body[:colon]) and self.begins_value(
            self.source.blank(start + colon + 1)
        )

    def _lacks_opener(self, index: int, frame: Frame) -> bool:
        """Whether a key of the schema, a quote and a colon are here."""
        source = self.source
        match = _BARE_KEY.match(source.text, index, source.stop) if frame.is_judged else None
        if match is None or source.at(match.end()) not in CLOSING_QUOTES:
            return False
        return frame.may_have(match.group()) and source.at(source.blank(match.end() + 1)) == ":"

    def _reads_bare_key(self, index: int, frame: Frame, *, at_end: bool) -> bool:
        """Whether a key without quotes and its colon are here; `at_end` as in `reads_key`."""
        source = self.source
        match = _BARE_KEY.match(source.text, index, source.stop)
        if match is None:
            return False
        character = source.at(match.end())
        if not character:
            return at_end and frame.may_have_begun(match.group())
        if not frame.may_have(match.group()):
            return False
        index = source.blank(match.end())
        character = source.at(index)
        if character != ":":
            return at_end and not character
        if frame.is_judged:
            return True
        index = source.blank(index + 1)
        return not source.at(index) or self.begins_value(index)

    def begins_value(self, index: int) -> bool:
        """Whether a value other than bare text begins here."""
        character = self.source.at(index)
        if character.lower() in ("t", "f", "n"):
            # `false`, and no letter after it.
            self.source.ask(index + 5)
            return _LITERALS.match(self.source.text, index) is not None
        return character in CLOSING_QUOTES or character in "{[-0123456789"

    def _begins_item(self, index: int, frame: Frame) -> bool:
        """Whether an item of this array begins here, after a comma."""
        source = self.source
        character = source.at(index)
        item = frame.guide.item() if frame.guide is not None else None
        if item is not None and not item.may_begin(character):
            # The schema does not want such an item; a string may lack its quotes.
            if not item.takes_text or character in "{[(":
                return False
        elif character in CLOSING_QUOTES or character in "{[(-+.0123456789":
            return True
        end = source.blank(_BARE_ITEM.match(source.text, index, source.stop).end())
        lacks_quote = source.at(end) == '"' and not self.string.inner_quoted
        return source.at(source.blank(end + 1) if lacks_quote else end) in (",", "]", "")

    # What may follow a string

    def goes_on_strictly(self, index: int) -> bool:
        """Whether strict JSON continues after a string."""
        source, stack = self.source, self.state.stack
        level = len(stack) - 1
        while True:
            # The last bracket is closed, and nothing has to follow the value.
            if level < 0 and self.around.alone:
                return True
            index = source.past_space(index)
            character = source.at(index)
            if not character:
                return True
            if level < 0:
                return self.may_end(index)
            frame = stack[level]
            if character == ",":
                return self._next_is_strict(source.past_space(index + 1), frame)
            if character != frame.closer:
                return False
            level -= 1
            index += 1

    def _next_is_strict(self, index: int, frame: Frame) -> bool:
        """Whether a key or an item of strict JSON is here, after a comma."""
        source = self.source
        character = source.at(index)
        if not character:
            return True
        if not frame.is_object:
            return character in _VALUE_STARTS
        if character != '"':
            return False
        end = _STRICT_KEY.match(source.text, index + 1, source.stop).end()
        character = source.at(end)
        if character != '"':
            return not character
        return source.at(source.past_space(end + 1)) in (":", "")

    def goes_on(self, index: int) -> bool:
        """Whether the text after a string value continues in a plausible way."""
        source, stack = self.source, self.state.stack
        level = len(stack) - 1
        first, lacking = index, False
        while True:
            if level < 0 and self.around.alone:
                return not lacking
            index = source.blank(index)
            character = source.at(index)
            if not character:
                return not (lacking and self.string.inner_quoted)
            if level < 0:
                return not lacking and self.may_end(index)
            if character in "}])":
                below = self._closed_by(character, index, level)
                if below is None:
                    return False
                # Brackets that are inserted must not omit what the schema requires.
                lacking = lacking or not all(
                    each.is_complete() for each in stack[below + 1 : level + 1]
                )
                level = below
                index += 1
                continue
            if lacking or self.around.ends_frame(self, index):
                return not lacking
            if character == ",":
                index = self._behind_commas(index)
                character = source.at(index)
                if not character:
                    return True
                if character in "}])":
                    continue
                return self.around.ends_frame(self, index) or self._begins_next(index, stack[level])
            if stack[level].is_object:
                return self._lacks_comma(index, first, stack[level])
            # `["a" "b"]` lacks a comma; in `["a"b"]` the quote is inside of a string.
            parted = index > first or level < len(stack) - 1
            return parted and self.begins_value(index)

    def _lacks_comma(self, index: int, first: int, frame: Frame) -> bool:
        """Whether a key without a comma before it is here; text up to `first` is read already."""
        source = self.source
        quote = source.at(index)
        if quote in OTHER_COMMAS:
            return self.parts_members(index, frame)
        if quote not in CLOSING_QUOTES or not self.reads_key(index, frame):
            return False
        if not source.final or source.text[first - 1] != quote:
            return True
        # If only closers follow up to the end of the text, this quote ends the string: it begins no
        # key.
        end = _CLOSERS.match(source.text, index + 1, source.stop).end()
        return end < len(source.text) or not source.text[index + 1 : end].strip()

    def parts_members(self, index: int, frame: Frame) -> bool:
        """Whether another mark replaces the comma before the next member, which has a quoted key."""
        index = self.source.blank(index + 1)
        if not frame.is_object or self.source.at(index) not in CLOSING_QUOTES:
            return False
        return self.reads_key(index, frame, at_end=False)

    def _behind_commas(self, index: int) -> int:
        while self.source.at(index) == ",":
            index = self.source.blank(index + 1)
        return index

    def _begins_next(self, index: int, frame: Frame) -> bool:
        if not frame.is_object:
            return self._begins_item(index, frame)
        if self.source.at(index) == "{":
            stack = self.state.stack
            # `[{"a": "x", {"b": 1}]`: the first object lacks its closer.
            place = stack.index(frame)
            return place > 0 and not stack[place - 1].is_object
        return self.reads_key(index, frame, colon=False)

    def closes_later(self, index: int) -> bool:
        """Whether the next quote closes the string, so that the quote here is text.

        Raises:
            More: the text so far is too short to decide.
        """
        text = self.source.text
        quote = text.find('"', index, index + REACH)
        if quote < 0:
            if not self.source.final and len(text) - index < REACH:
                raise More
            return len(text) - index >= REACH
        # A model that escapes that quote means this one as text.
        if text[quote - 1] == "\\":
            return True
        return self.answer(quote, lambda: self.goes_on_strictly(quote + 1), otherwise=True)

    # What a bracket closes

    def _closed_by(self, character: str, index: int, level: int) -> int | None:
        """Returns the level below what a bracket closes; None if it is not allowed here."""
        if character == ")" and self.opener_of(character, level) is None:
            return None
        found = self.level_closed(character, index, level)
        # A bracket that fits nothing closes nothing, and the text after it decides.
        return level if found is None else found - 1

    def level_closed(self, character: str, index: int, level: int) -> int | None:
        """Returns the level that a bracket closes, with all above it; None if it is superfluous.

        A bracket that does not fit the innermost level closes down to its own kind, if the text
        after it fits there, or else the innermost: then it is a bracket of the wrong kind.
        """
        source = self.source
        found = self.opener_of("]" if character == ")" else character, level)
        if found == level:
            return found
        index = source.blank(index + 1)
        if found is None:
            if not source.at(index) or self.around.frame_goes_on(self, index, level):
                return level
            return None
        if source.at(index) != ",":
            return found
        index = self._behind_commas(index)
        if not source.at(index):
            return found
        # No comma follows the closer of the root: before a comma, a bracket can't have closed the
        # root.
        if found == 0:
            return None
        if not self._may_come(index, found - 1) and self._may_come(index, level - 1):
            return level
        return found

    def _may_come(self, index: int, level: int) -> bool:
        """Whether a member or an item of the bracket at a level begins here."""
        frame = self.state.stack[level]
        if frame.is_object:
            return self.reads_key(index, frame)
        # A string and a colon are a member, not an item.
        is_quote = self.source.at(index) in CLOSING_QUOTES
        keyed = is_quote and self.reads_key(index, Frame("{", None, ""))
        return self._begins_item(index, frame) and not keyed

    def opener_of(self, closer: str, level: int) -> int | None:
        """Returns the nearest level, at or below `level`, of the kind that a bracket closes."""
        is_object = closer == "}"
        for below in range(level, -1, -1):
            frame = self.state.stack[below]
            if frame.is_object == is_object and (closer != ")" or frame.closer == ")"):
                return below
        return None

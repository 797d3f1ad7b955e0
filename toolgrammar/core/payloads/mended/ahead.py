"""Looks ahead in a JSON text that may be damaged: which quote ends a string, which bracket what.

Example: in `{"a": "the "best" one", "b": 1}` no key and no bracket follow the second quote of the
value, so it stands inside the string; behind the last one `, "b":` reads as the next member.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, ClassVar, Final

from toolgrammar.core.payloads.json.runs import inside_string
from toolgrammar.core.payloads.json.tokens import text_of
from toolgrammar.core.payloads.mended.frames import Frame
from toolgrammar.core.payloads.mended.look import CLOSING_QUOTES, REACH, More, Undecided
from toolgrammar.tools.json_tokens import LITERAL, PLAIN
from toolgrammar.values.patterns import anywhere, late

if TYPE_CHECKING:
    from toolgrammar.core.payloads.mended.bodies import OpenString
    from toolgrammar.core.payloads.mended.look import Source
    from toolgrammar.core.payloads.mended.state import State

KEY_BODIES = {
    close: anywhere(rf"(?:[^{close}\\\n\r]++|\\.)*+") for close in set(CLOSING_QUOTES.values())
}
_STRICT_KEY = anywhere(rf"(?:[^{PLAIN}]++|\\.)*+")
_BARE_KEY = late(r"[^\W\d][\w$-]{0,63}")
_BARE_ITEM = anywhere(r"[^\"'`“”\n\r,\[\]{}:]*+")
_CLOSERS = anywhere(r"[ \t\n\r}\])]*+")
_LITERALS = late(rf"(?:{LITERAL})\b", re.IGNORECASE)
_VALUE_STARTS: Final = frozenset('"{[-0123456789tfn')


class Around:
    """What stands around a value; by itself, a value ends with its last bracket."""

    alone = True
    """Whether the last bracket ends the value, whatever follows."""
    framed = False
    """Whether markup stands around the value, which may end in it, too."""
    inside: ClassVar[re.Pattern[str]] = inside_string
    """What a chunk matches that only goes on in a string."""

    def follows(self, _look: LookAhead, _index: int) -> bool:
        """Whether what stands at an index may follow the whole value."""
        return True

    def stops(self, _look: LookAhead, _index: int) -> bool:
        """Whether something that ends the value, whole or not, stands where a token may."""
        return False

    def ends_frame(self, _look: LookAhead, _index: int) -> bool:
        """Whether markup that ends the value stands here, though brackets are open."""
        return False

    def markup_follows(self, _look: LookAhead, _index: int) -> bool:
        """Whether markup around the value stands behind a quote, at most brackets before it."""
        return False

    def frame_goes_on(self, _look: LookAhead, _index: int, _level: int) -> bool:
        """Whether, once a level is closed, what a message wants behind the value goes on."""
        return False

    def ends_at_brackets(self, _look: LookAhead, _index: int) -> bool:
        """Whether the open string ended before brackets, and its quote is missing."""
        return False

    def ends_at_markup(self, _look: LookAhead, _index: int) -> bool:
        """Whether the open string ended before markup, and its quote and brackets are missing."""
        return False


class LookAhead:
    """Answers what follows in the text; it changes nothing."""

    def __init__(self, source: Source, state: State, string: OpenString, around: Around) -> None:
        self.source = source
        self.state = state
        self.string = string
        self.around = around

    def begin(self, start: int) -> None:
        """Begins a look at an index."""
        self.source.look(start, len(self.state.stack))

    def may_end(self, index: int) -> bool:
        """Whether what stands at an index may follow the whole value."""
        return self.around.alone or self.around.follows(self, index)

    # Keys and values

    def reads_key(
        self, index: int, frame: Frame, *, at_end: bool = True, colon: bool = True
    ) -> bool:
        """Whether a key of this object and a colon stand here; `at_end` if the text ends before.

        Without `colon` one that the schema knows will do if a value follows, or a quote is missing.
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
        # The key goes on behind the look: what it is so far tells enough.
        if end == source.stop and not frame.may_have_begun(key):
            return False
        character = source.at(end)
        if character == "\\" and not source.at(end + 1):
            character = ""  # the escape goes on where the look ends
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
        gap = not colon and frame.is_judged and self.begins_value(index)
        return character in ":=" or gap

    def _lacks_closer(self, start: int, body: str, frame: Frame) -> bool:
        """Whether a key that the schema knows, and a colon, stand behind a quote with no other one."""
        if not frame.is_judged or (colon := body.find(":")) < 0:
            return False
        return frame.may_have(body[:colon]) and self.begins_value(
            self.source.blank(start + colon + 1)
        )

    def _lacks_opener(self, index: int, frame: Frame) -> bool:
        """Whether a key that the schema knows, a quote and a colon stand here."""
        source = self.source
        match = _BARE_KEY.match(source.text, index, source.stop) if frame.is_judged else None
        if match is None or source.at(match.end()) not in CLOSING_QUOTES:
            return False
        return frame.may_have(match.group()) and source.at(source.blank(match.end() + 1)) == ":"

    def _reads_bare_key(self, index: int, frame: Frame, *, at_end: bool) -> bool:
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
            # `false`, and no letter behind it.
            self.source.ask(index + 5)
            return _LITERALS.match(self.source.text, index) is not None
        return character in CLOSING_QUOTES or character in "{[-0123456789"

    def _begins_item(self, index: int, frame: Frame) -> bool:
        """Whether an item of this array begins here, behind a comma."""
        source = self.source
        character = source.at(index)
        item = frame.guide.item() if frame.guide is not None else None
        if item is not None and not item.may_begin(character):
            # The schema wants no such item; a string may lack its quotes.
            if not item.takes_text or character in "{[(":
                return False
        elif character in CLOSING_QUOTES or character in "{[(-+.0123456789":
            return True
        end = source.blank(_BARE_ITEM.match(source.text, index, source.stop).end())
        lacks_quote = source.at(end) == '"' and not self.string.inner_quoted
        return source.at(source.blank(end + 1) if lacks_quote else end) in (",", "]", "")

    # What may follow a string

    def goes_on_strictly(self, index: int) -> bool:
        """Whether strict JSON goes on behind a string."""
        source, stack = self.source, self.state.stack
        level = len(stack) - 1
        while True:
            # The last bracket is closed, and nothing has to follow it.
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
        """Whether something that can be meant goes on behind a string value."""
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
                # Brackets that are put in must not leave out what the schema requires.
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
                return self._begins_next(index, stack[level])
            if stack[level].is_object:
                return self._lacks_comma(index, first, stack[level])
            # `["a" "b"]` lacks a comma; in `["a"b"]` the quote stands inside of a string.
            parted = index > first or level < len(stack) - 1
            return parted and self.begins_value(index)

    def _lacks_comma(self, index: int, first: int, frame: Frame) -> bool:
        """Whether a key stands here with no comma before it; what is behind `first` is read."""
        source = self.source
        quote = source.at(index)
        if quote == ";":
            return self.parts_members(index, frame)
        if quote not in CLOSING_QUOTES or not self.reads_key(index, frame):
            return False
        if not source.final or source.text[first - 1] != quote:
            return True
        # Only closers up to the end of the text are no key: this quote ends the string.
        end = _CLOSERS.match(source.text, index + 1, source.stop).end()
        return end < len(source.text) or not source.text[index + 1 : end].strip()

    def parts_members(self, index: int, frame: Frame) -> bool:
        """Whether a semicolon stands for the comma before the next member: a key in quotes tells."""
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
        """Whether the next quote closes the string: what stands here is text then.

        Raises:
            More: the text so far does not decide.
        """
        text = self.source.text
        quote = text.find('"', index, index + REACH)
        if quote < 0:
            if not self.source.final and len(text) - index < REACH:
                raise More
            return len(text) - index >= REACH
        # Who escapes quotes means this one as text.
        if text[quote - 1] == "\\":
            return True
        self.begin(quote)
        try:
            return self.goes_on_strictly(quote + 1)
        except Undecided:
            return True

    # What a bracket closes

    def _closed_by(self, character: str, index: int, level: int) -> int | None:
        """Returns the level below what a bracket closes; None where it can't stand."""
        if character == ")" and self.opener_of(character, level) is None:
            return None
        found = self.level_closed(character, index, level)
        # One that fits nothing closes nothing, and what follows it is looked at.
        return level if found is None else found - 1

    def level_closed(self, character: str, index: int, level: int) -> int | None:
        """Returns the level that a bracket closes with all above it; None where it is too much.

        One that does not fit what is open closes down to its own kind, if what follows fits
        there, or else the innermost: it is of the wrong kind.
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
        # Behind the closer of the root no comma follows: it can't have closed the root.
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
        # A string and a colon are a member, and no item.
        is_quote = self.source.at(index) in CLOSING_QUOTES
        keyed = is_quote and self.reads_key(index, Frame("{", None, ""))
        return self._begins_item(index, frame) and not keyed

    def opener_of(self, closer: str, level: int) -> int | None:
        """Returns the nearest level at or below `level` that a bracket closes."""
        is_object = closer == "}"
        while level >= 0:
            frame = self.state.stack[level]
            if frame.is_object == is_object and (closer != ")" or frame.closer == ")"):
                return level
            level -= 1
        return None

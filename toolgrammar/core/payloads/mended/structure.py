"""Reads the structure of damaged JSON: brackets, keys, colons, commas, and how values begin.

Example: in `{"a": 1 "b" = 2,, // why` a comma is inserted, `=` becomes a colon, the second comma
and the comment are dropped, each with a repair. `}` in `{"a": [1, 2}` closes the array, too; in
`[1, 2}}]` each `}` closes nothing and is dropped. The tuple of `[1, (2, 3)]` is read as an array.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolgrammar.core.payloads.json.tokens import TOO_DEEP, plain_scalar, space_run
from toolgrammar.core.payloads.mended.frames import Frame
from toolgrammar.core.payloads.mended.look import CLOSING_QUOTES, More
from toolgrammar.core.payloads.mended.state import AFTER, ITEM, KEY, VALUE
from toolgrammar.tools.json_tokens import (
    COLONS,
    HALVES,
    MAX_DIGITS,
    OTHER_COLON,
    OTHER_COLONS,
    OTHER_COMMAS,
    PLAIN,
    SPACE,
)
from toolgrammar.values.patterns import anywhere, late

if TYPE_CHECKING:
    from toolgrammar.core.payloads.mended.ahead import LookAhead
    from toolgrammar.core.payloads.mended.end import Ending
    from toolgrammar.core.payloads.mended.gaps import Gaps
    from toolgrammar.core.payloads.mended.strings import StringReader
    from toolgrammar.core.payloads.mended.wide_quotes import WideQuotes
    from toolgrammar.core.payloads.mended.words import WordReader

_KEY_AND_COLON = late(rf'"([^{PLAIN}{HALVES}]*)"{SPACE}:{SPACE}')
_OTHER_COLON = late(OTHER_COLON)
_COMMAS = anywhere(r",*")
_CLOSERS: Final = "}])"
_RUNS: Final = {closer: anywhere(rf"\{closer}*+") for closer in _CLOSERS}
_MOST_QUOTES: Final = 4
"""The maximal number of repeated quotes after a key."""


class Structure:
    """Reads all that is not inside a string, a word or a gap."""

    def __init__(
        self,
        look: LookAhead,
        gaps: Gaps,
        strings: StringReader,
        quotes: WideQuotes,
        words: WordReader,
        ending: Ending,
        max_depth: int,
    ) -> None:
        self._look = look
        self._source = look.source
        self._state = look.state
        self._gaps = gaps
        self._strings = strings
        self._quotes = quotes
        self._words = words
        self._ending = ending
        self._max_depth = max_depth

    # Values

    def read_value(self) -> None:
        """Begins a value, or reads what is in its place."""
        source, state, start = self._source, self._state, self._source.pos
        character = source.text[start]
        if character == '"' and state.mode == VALUE:
            self._quotes.open_value(character)
        elif character == "{" or character == "[":  # noqa: PLR1714 - the hottest test
            self._open(character)
        # With a schema, the number may have to become a string, so it is read as a word.
        elif state.guide is None and state.stack and (end := self._plain_scalar()):
            state.begin_value(start)
            state.give(source.text[start:end])
            source.go(end)
            state.end_value()
        elif not self._gaps.take():
            self._other_value(character)

    def _plain_scalar(self) -> int:
        """Returns the end of a number or literal of JSON that begins here, 0 if there is none."""
        text, start = self._source.text, self._source.pos
        match = plain_scalar.match(text, start)
        # After a blank more words may follow: `1 apple` is text.
        if match is None or match.end() - start > MAX_DIGITS or text[match.end()] not in ",}]\n\r":
            return 0
        return match.end()

    def _other_value(self, character: str) -> None:
        """Reads a string, a word, or a character that is misplaced where a value should begin."""
        source, state = self._source, self._state
        # First, as a fence that ends the value begins with backticks, which are quotes, too.
        if self._stop():
            return
        if character in CLOSING_QUOTES:
            # `{"a": [1, 2, "b": 3}`: a string and a colon are a member, so the array has ended.
            if not (state.mode == ITEM and self._item_is_key()):
                self._quotes.open_value(character)
        # `{"a": , "b": 1}`: a key without a value.
        elif character in ",}])" and state.mode == VALUE:
            state.leave_out_key()
        elif character == "," and state.stack:
            self._drop_commas()
        elif character in _CLOSERS and state.stack:
            self._close(character)
        elif character == "(" and state.stack and self._is_tuple():
            self._open(character)
        # `{"a":: 1}`
        elif character == ":" and state.mode == VALUE:
            state.repair("colon", source.pos, source.pos + 1, "")
            source.go(source.pos + 1)
        else:
            self._words.begin_word()
            # No number and no literal begins with it.
            if not (character.isalnum() or character in "_.+-"):
                self._words.end_word()

    def _is_tuple(self) -> bool:
        wanted = self._state.slot()
        return wanted is None or wanted.types is None or "array" in wanted.types

    def _item_is_key(self) -> bool:
        """Closes arrays without a closer, if a string and a colon follow, which are a member."""
        state, start = self._state, self._source.pos
        level = len(state.stack) - 2
        while level >= 0 and not state.stack[level].is_object:
            level -= 1
        if level < 0 or not self._look.answer(
            start,
            lambda: self._look.reads_key(start, state.stack[level], at_end=False),
            otherwise=False,
        ):
            return False
        state.close_missing(level)
        state.expect(KEY)
        return True

    def _open(self, opener: str) -> None:
        """Opens an object or an array."""
        state, start = self._state, self._source.pos
        if len(state.stack) >= self._max_depth:
            state.fail(TOO_DEEP)
            return
        wanted = state.slot()
        state.begin_value(start)
        path = state.stack[-1].place() if state.stack else "$"
        written = opener
        if opener == "(":
            written = "["
            state.repair("bracket", start, start + 1, written)
        state.open(Frame(opener, wanted, path), written)
        self._source.go(start + 1)

    def _stop(self) -> bool:
        """Ends the value before text that ends it in any case; returns whether there is any."""
        if not self._look.around.stops(self._look, self._source.pos):
            return False
        self._ending.close(closed=True, here=True)
        self._state.finish()
        return True

    def _drop_commas(self) -> None:
        """Drops the commas at the current position."""
        start = self._source.pos
        end = _COMMAS.match(self._source.text, start).end()
        self._source.go(end)
        self._state.stray_comma(start, end)

    # Keys

    def read_key(self) -> None:
        """Begins a key, or closes an object."""
        character = self._source.text[self._source.pos]
        if character == '"':
            self._quoted_key(self._source.pos)
        elif character == "}":
            self._close(character)
        elif character == ",":
            self._drop_commas()
        elif not self._gaps.take():
            self._other_key(character)

    def _other_key(self, character: str) -> None:
        """Reads text that is in the place of a key in double quotes."""
        source, state, start = self._source, self._state, self._source.pos
        if self._stop():
            return
        if character in CLOSING_QUOTES:
            state.insert_comma(start)
            state.begin_key(start)
            self._strings.open(character, key=True)
        elif character in "])":
            self._close(character)
        elif character in "{[(":
            self._misplaced_opener(character)
        # `{: 1}`: a value without a key.
        elif character in COLONS:
            state.leave_out(start, start + 1)
            source.go(start + 1)
        else:
            state.insert_comma(start)
            self._words.begin_key()

    def _quoted_key(self, start: int) -> None:
        """Begins a key in double quotes, or reads all of it with its colon."""
        source, state = self._source, self._state
        match = _KEY_AND_COLON.match(source.text, start)
        if match is None or state.doubled:
            self._quotes.open_key()
            return
        # A sound key with its colon is read at once.
        state.insert_comma(start)
        state.begin_key(start)
        state.hold(match.group(), start)
        state.end_key(match[1])
        state.expect(VALUE)
        source.go(match.end())

    def _misplaced_opener(self, character: str) -> None:
        """Reads an opening bracket in the place of a key."""
        source, state = self._source, self._state
        stack, start = state.stack, source.pos
        in_array = len(stack) > 1 and not stack[-2].is_object
        # `[{"a": 1, {"b": 2}]`: the first object lacks its closer.
        if character == "{" and in_array:
            state.close_missing(len(stack) - 2)
            state.expect(ITEM if state.comma is not None else AFTER)
            return
        state.leave_out(start, start + 1)
        source.go(start + 1)

    # Colons

    def read_colon(self) -> None:
        """Reads the text between a key and its value."""
        source, start = self._source, self._source.pos
        character = source.text[start]
        if character == ":":
            self._take_colon(start, start + 1)
        elif (other := _OTHER_COLON.match(source.text, start)) is not None:
            if other.end() == len(source.text) and not source.final:
                raise More
            self._state.repair(OTHER_COLONS[other[0]], start, other.end(), ":")
            self._take_colon(start, other.end())
        elif self._gaps.take() or self._stop():
            return
        # `{"a", "b": 1}`: a key without a value.
        elif character in ",}])":
            self._state.leave_out_key()
        elif (end := self._doubled_end(character)) > start:
            self._state.repair("doubled-quotes", start, end, "")
            source.go(end)
        else:
            self._state.repair("colon", start, start, ":")
            self._take_colon(start, start)

    def _take_colon(self, start: int, end: int) -> None:
        self._state.hold(":", start)
        self._source.go(end)
        self._state.expect(VALUE)

    def _doubled_end(self, quote: str) -> int:
        """Returns the end of the quotes that are repeated between a key and its colon, or -1."""
        look, source, start = self._look, self._source, self._source.pos
        if quote not in CLOSING_QUOTES:
            return -1

        def end() -> int:
            end = start
            while end - start < _MOST_QUOTES and source.at(end) == quote:
                end += 1
            colon = source.blank(end)
            if source.at(colon) != ":":
                return -1
            # `"a"": 1`: the second quote stands directly after that of the key.
            touches = source.text[start - 1 : start] == quote
            return end if touches or look.begins_value(source.blank(colon + 1)) else -1

        return look.answer(start, end, otherwise=-1)

    # After a value

    def read_after(self) -> None:
        """Reads the comma or the closer after a value."""
        source, state, start = self._source, self._state, self._source.pos
        character = source.text[start]
        if character == ",":
            state.note_comma(start)
            end = space_run.match(source.text, start + 1).end()
            if end > start + 1:
                state.keep(source.text[start + 1 : end])
            source.go(end)
            state.stack[-1].separate()
        elif character in _CLOSERS:
            self._close(character)
            return
        elif self._gaps.take() or self._stop():
            return
        # `{"a": [1]; "b": 2}`, as in other languages.
        elif character in OTHER_COMMAS:
            state.note_comma(start, put_in=state.repair("comma", start, start + 1, ",", join=False))
            source.go(start + 1)
        else:
            # No comma: one is inserted before whatever begins here.
            state.stack[-1].read_key("")
        state.expect_next()

    # Closers

    def _close(self, character: str) -> None:
        """Reads the closing bracket at the current position."""
        look, source, state = self._look, self._source, self._state
        level = len(state.stack) - 1
        # The usual case: it closes the innermost bracket.
        if character == state.stack[level].closer:
            state.close(level, character)
            return
        found = look.answer(
            source.pos,
            lambda: look.level_closed(character, source.pos, level),
            otherwise=look.opener_of("]" if character == ")" else character, level),
        )
        if found is None:
            self._drop_closer(character)
        else:
            state.close(found, character)

    def _drop_closer(self, character: str) -> None:
        """Drops a bracket that closes nothing."""
        source = self._source
        start = source.pos
        end = start + 1
        # Many brackets are dropped as one, so that each of them costs no look of its own.
        if not self._look.around.framed:
            # After all but the last of a run comes a bracket that fits nothing either.
            end = max(end, _RUNS[character].match(source.text, end).end() - 1)
        repair = self._state.repair("extra-closer", start, end, "")
        # In `{"a": 1]}` nothing is lost; elsewhere it may have closed the parent of the next
        # member.
        repair.judge(doubt=not self._is_before_root_closer(end - 1))
        source.go(end)

    def _is_before_root_closer(self, index: int) -> bool:
        """Whether the bracket at an index is directly before the one that closes the root."""
        stack = self._state.stack
        return len(stack) == 1 and self._look.follows(index, (stack[0].closer,))

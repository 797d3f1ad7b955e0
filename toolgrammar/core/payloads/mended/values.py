"""Begins the values of damaged JSON: the root, an item, the value of a member.

Example: in `[1 'x', (2, 3)` the second item is a string in other quotes, the third a tuple, which
is read as an array with a repair `bracket`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolgrammar.core.payloads.json.tokens import TooDeep, plain_scalar
from toolgrammar.core.payloads.mended.frames import Frame
from toolgrammar.core.payloads.mended.look import CLOSING_QUOTES, More, Undecided
from toolgrammar.core.payloads.mended.state import ITEM, KEY, START, TRIPLE, VALUE
from toolgrammar.tools.json_tokens import MAX_DIGITS

if TYPE_CHECKING:
    from toolgrammar.core.payloads.mended.ahead import LookAhead
    from toolgrammar.core.payloads.mended.between import Between, Closers
    from toolgrammar.core.payloads.mended.gaps import Gaps
    from toolgrammar.core.payloads.mended.strings import StringReader
    from toolgrammar.core.payloads.mended.words import WordReader

_CLOSERS: Final = "}])"
_MOST_QUOTES: Final = 7
"""A run of this many quotes is not an empty string in triple quotes."""


class Values:
    """Reads the text in the place of a value."""

    def __init__(
        self,
        look: LookAhead,
        gaps: Gaps,
        strings: StringReader,
        words: WordReader,
        closers: Closers,
        between: Between,
        max_depth: int,
    ) -> None:
        self._look = look
        self._source = look.source
        self._state = look.state
        self._gaps = gaps
        self._strings = strings
        self._words = words
        self._closers = closers
        self._between = between
        self._max_depth = max_depth
        self._no_triple = False
        """Whether the rest of the text has no three quotes that could end a string."""
        self._return_to = START
        """The mode to which the reader returns once it is known whether quotes are triple."""
        self._asleep: list[str] = []
        """The pieces of a string that may be in triple quotes, and whose end has not come."""
        self._tail = ""

    def read(self) -> None:
        """Begins a value, or reads what is in its place."""
        source, state, start = self._source, self._state, self._source.pos
        character = source.text[start]
        if character == '"' and state.mode == VALUE:
            self._open_quoted(character)
        elif character == "{" or character == "[":  # noqa: PLR1714 - the hottest test
            self._open(character)
        # With a schema, the number may have to become a string, so it is read as a word.
        elif state.guide is None and state.stack and (end := self._plain_scalar()):
            state.begin_value(start)
            state.give(source.text[start:end])
            source.go(end)
            state.end_value()
        elif not self._gaps.take():
            self._other(character)

    def _plain_scalar(self) -> int:
        """Returns the end of a number or literal of JSON that begins here, 0 if there is none."""
        text, start = self._source.text, self._source.pos
        match = plain_scalar.match(text, start)
        # After a blank more words may follow: `1 apple` is text.
        if match is None or match.end() - start > MAX_DIGITS or text[match.end()] not in ",}]\n\r":
            return 0
        return match.end()

    def _other(self, character: str) -> None:
        """Reads a string, a word, or a character that is misplaced where a value should begin."""
        source, state = self._source, self._state
        if character in CLOSING_QUOTES:
            # `{"a": [1, 2, "b": 3}`: a string and a colon are a member, so the array has ended.
            if not (state.mode == ITEM and self._item_is_key()):
                self._open_quoted(character)
        elif self._between.stop():
            return
        elif character == "," and state.stack:
            if state.mode == VALUE:
                state.leave_out_key()
            else:
                self._between.drop_commas()
        elif character in _CLOSERS and state.stack:
            if state.mode == VALUE:
                state.leave_out_key()
            else:
                self._closers.take(character)
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
        if level < 0:
            return False
        self._look.begin(start)
        try:
            is_key = self._look.reads_key(start, state.stack[level], at_end=False)
        except Undecided:
            return False
        if is_key:
            state.close_missing(level)
            state.expect(KEY)
        return is_key

    def _open(self, opener: str) -> None:
        """Opens an object or an array."""
        state, start = self._state, self._source.pos
        if len(state.stack) >= self._max_depth:
            state.fail(TooDeep("too deep"))
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

    # Strings

    def _open_quoted(self, quote: str) -> None:
        """Begins a string value in one, two or three quotes."""
        source, state = self._source, self._state
        text, start = source.text, source.pos
        if quote in "\"'" and not self._no_triple and not state.doubled:
            run = text[start : start + _MOST_QUOTES]
            count = len(run) - len(run.lstrip(quote))
            # More quotes may follow in the next chunk.
            if count == len(run) < _MOST_QUOTES and not source.final:
                raise More
            # `""` is an empty string; three may begin a long one, if its closer comes.
            if 3 <= count < _MOST_QUOTES and self._is_triple(quote * 3):
                self._strings.open(quote, key=False, width=3)
                return
        elif state.doubled and start + 1 == len(text) and not source.final:
            raise More
        width = 2 if state.doubled and text.startswith('""', start) else 1
        self._strings.open(quote, key=False, width=width)

    def _is_triple(self, quotes: str) -> bool:
        """Whether three quotes follow that end the string which three quotes begin here."""
        source, state = self._source, self._state
        end = source.text.find(quotes, source.pos + 3)
        if end < 0 and not source.final:
            self._return_to = state.mode
            state.expect(TRIPLE)
            raise More
        # Asked once: quotes that the rest of the text lacks, every later rest lacks too.
        self._no_triple = end < 0
        return end >= 0

    def read_triple(self) -> None:
        """Waits for the closer of a string in triple quotes."""
        self._state.expect(self._return_to)
        self._open_quoted(self._source.text[self._source.pos])

    def sleeps(self, piece: str) -> bool:
        """Stores a piece that does not end the string in triple quotes; returns whether it did.

        Searching all the text so far for the end, at every piece, would be quadratic.
        """
        text, start = self._source.text, self._source.pos
        # The last two characters are searched again, as chunks may cut the three quotes.
        behind = self._tail if self._asleep else text[start + 3 :][-2:]
        behind += piece
        if text[start] * 3 in behind:
            return False
        self._asleep.append(piece)
        self._tail = behind[-2:]
        return True

    def wake(self) -> str:
        """Returns the stored pieces."""
        kept = "".join(self._asleep)
        self._asleep.clear()
        return kept

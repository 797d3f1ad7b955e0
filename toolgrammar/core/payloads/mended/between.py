"""Reads the text between the values of damaged JSON: keys, colons, commas, closers.

Example: in `{"a": 1 "b" = 2,, // why` a comma is inserted, `=` becomes a colon, the second comma
and the comment are dropped, each with a repair. `}` in `{"a": [1, 2}` closes the array, too; in
`[1, 2}}]` each `}` closes nothing and is dropped.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolgrammar.core.payloads.json.tokens import space_run
from toolgrammar.core.payloads.mended.look import CLOSING_QUOTES, More, Undecided
from toolgrammar.core.payloads.mended.state import AFTER, ITEM, VALUE
from toolgrammar.tools.json_tokens import HALVES, OTHER_COLON, OTHER_COLONS, PLAIN, SPACE
from toolgrammar.values.patterns import anywhere, late

if TYPE_CHECKING:
    from toolgrammar.core.payloads.mended.ahead import LookAhead
    from toolgrammar.core.payloads.mended.end import Ending
    from toolgrammar.core.payloads.mended.gaps import Gaps
    from toolgrammar.core.payloads.mended.strings import StringReader
    from toolgrammar.core.payloads.mended.words import WordReader

_KEY_AND_COLON = late(rf'"([^{PLAIN}{HALVES}]*)"{SPACE}:{SPACE}')
_OTHER_COLON = late(OTHER_COLON)
_DOUBLED_KEY = late(r'""[^"\\\s:,{}\[\]]')
_OPENERS = anywhere(r"[{\[(]*+")
_OTHER_OPENERS = anywhere(r"[\[(]*+")
_COMMAS = anywhere(r",*")
_CLOSERS: Final = "}])"
_RUNS: Final = {closer: anywhere(rf"\{closer}*+") for closer in "}])"}
_MOST_QUOTES: Final = 4
"""How many quotes may be repeated after a key."""


class Closers:
    """Reads closing brackets."""

    def __init__(self, look: LookAhead) -> None:
        self._look = look
        self._source = look.source
        self._state = look.state

    def take(self, character: str) -> None:
        """Reads the closing bracket at the current position."""
        look, source, state = self._look, self._source, self._state
        level = len(state.stack) - 1
        # The usual case: it closes the innermost bracket.
        if character == state.stack[level].closer:
            state.close(level, character)
            return
        look.begin(source.pos)
        try:
            found = look.level_closed(character, source.pos, level)
        except Undecided:
            found = look.opener_of("]" if character == ")" else character, level)
        if found is None:
            self._drop(character)
        else:
            state.close(found, character)

    def _drop(self, character: str) -> None:
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
        repair.judge(doubt=not self._is_last(end - 1))
        source.go(end)

    def _is_last(self, index: int) -> bool:
        """Whether the bracket at an index is directly before the one that closes the root."""
        stack = self._state.stack
        if len(stack) > 1:
            return False
        self._look.begin(index)
        try:
            return self._source.at(self._source.blank(index + 1)) == stack[0].closer
        except Undecided:
            return False


class Between:
    """Reads keys, colons, commas and closers."""

    def __init__(
        self,
        look: LookAhead,
        gaps: Gaps,
        strings: StringReader,
        words: WordReader,
        closers: Closers,
        ending: Ending,
    ) -> None:
        self._look = look
        self._source = look.source
        self._state = look.state
        self._gaps = gaps
        self._strings = strings
        self._words = words
        self._closers = closers
        self._ending = ending

    def stop(self) -> bool:
        """Ends the value before text that ends it in any case; returns whether there is any."""
        if not self._look.around.stops(self._look, self._source.pos):
            return False
        self._ending.close(closed=True, here=True)
        self._state.finish()
        return True

    def drop_commas(self) -> None:
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
            self._closers.take(character)
        elif character == ",":
            self.drop_commas()
        elif not self._gaps.take():
            self._other_key(character)

    def _other_key(self, character: str) -> None:
        """Reads text that is in the place of a key in double quotes."""
        source, state, start = self._source, self._state, self._source.pos
        if character in CLOSING_QUOTES:
            self._begin_key(character, 1)
        elif self.stop():
            return
        elif character in "])":
            self._closers.take(character)
        elif character in "{[(":
            self._opener(character)
        # `{: 1}`: a value without a key.
        elif character in ":=":
            state.leave_out(start, start + 1)
            source.go(start + 1)
        else:
            state.insert_comma(start)
            self._words.begin_key()

    def _begin_key(self, quote: str, width: int) -> None:
        self._state.insert_comma(self._source.pos)
        self._state.begin_key(self._source.pos)
        self._strings.open(quote, key=True, width=width)

    def _quoted_key(self, start: int) -> None:
        """Begins a key in double quotes, or reads all of it with its colon."""
        source, state = self._source, self._state
        match = _KEY_AND_COLON.match(source.text, start)
        # A sound key with its colon is read at once.
        if match is not None and not state.doubled:
            state.insert_comma(start)
            state.begin_key(start)
            state.hold(match.group(), start)
            state.end_key(match[1])
            state.expect(VALUE)
            source.go(match.end())
            return
        if source.text.startswith('""', start) or start + 1 == len(source.text):
            # `""` may be an empty key or the first of quotes that are all doubled.
            if start + 3 > len(source.text) and not source.final:
                raise More
            first = len(state.stack) == 1 and not state.stack[0].members
            # `{""a"": 1}`: the first key decides for every quote of the text.
            if first and _DOUBLED_KEY.match(source.text, start):
                state.double_quotes()
        doubled = state.doubled and source.text.startswith('""', start)
        self._begin_key('"', 2 if doubled else 1)

    def _opener(self, character: str) -> None:
        """Reads opening brackets in the place of a key."""
        source, state = self._source, self._state
        stack, start = state.stack, source.pos
        in_array = len(stack) > 1 and not stack[-2].is_object
        # `[{"a": 1, {"b": 2}]`: the first object lacks its closer.
        if character == "{" and in_array:
            state.close_missing(len(stack) - 2)
            state.expect(ITEM if state.comma is not None else AFTER)
            return
        end = start + 1
        if not self._look.around.framed:
            run = _OTHER_OPENERS.match if in_array else _OPENERS.match
            end = run(source.text, start).end()
        state.leave_out(start, end)
        source.go(end)

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
        elif self._gaps.take() or self.stop():
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
        look, source = self._look, self._source
        start = end = source.pos
        if quote not in CLOSING_QUOTES:
            return -1
        look.begin(start)
        try:
            while end - start < _MOST_QUOTES and source.at(end) == quote:
                end += 1
            colon = source.blank(end)
            if source.at(colon) != ":":
                return -1
            # `"a"": 1`: the second quote stands directly after that of the key.
            touches = source.text[start - 1 : start] == quote
            return end if touches or look.begins_value(source.blank(colon + 1)) else -1
        except Undecided:
            return -1

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
            self._closers.take(character)
            return
        elif self._gaps.take() or self.stop():
            return
        # `{"a": [1]; "b": 2}`, as in other languages.
        elif character == ";":
            state.note_comma(start, put_in=state.repair("comma", start, start + 1, ",", join=False))
            source.go(start + 1)
        else:
            # No comma: one is inserted before whatever begins here.
            state.stack[-1].read_key("")
        state.expect_next()

"""Decides how many quotes open a string of damaged JSON: one, two or three.

Example: in `{""a"": ""b""}` every quote is doubled, which the first key shows. In `{"a": \"\"\"x\"\"\"}`
three quotes open the value, as three more close it; without those it is an empty string and text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolgrammar.core.payloads.mended.look import More
from toolgrammar.values.patterns import late

if TYPE_CHECKING:
    from toolgrammar.core.payloads.mended.state import State
    from toolgrammar.core.payloads.mended.strings import StringReader

_DOUBLED_KEY = late(r'""[^"\\\s:,{}\[\]]')
_MOST_QUOTES: Final = 7
"""A run of this many quotes is not an empty string in triple quotes."""


class WideQuotes:
    """Opens the strings that may be in more than one quote."""

    def __init__(self, state: State, strings: StringReader) -> None:
        self._source = state.source
        self._state = state
        self._strings = strings
        self._no_triple = False
        """Whether the rest of the text has no three quotes that could end a string."""
        self.waits = False
        """Whether a string may be in triple quotes, and their end has not come."""
        self._stored: list[str] = []
        """The pieces that came since."""
        self._tail = ""

    def open_key(self) -> None:
        """Begins a key in double quotes at the current position."""
        source, state = self._source, self._state
        text, start = source.text, source.pos
        if text.startswith('""', start) or start + 1 == len(text):
            # `""` may be an empty key or the first of quotes that are all doubled.
            if start + 3 > len(text) and not source.final:
                raise More
            first = len(state.stack) == 1 and not state.stack[0].members
            # `{""a"": 1}`: the first key decides for every quote of the text.
            if first and _DOUBLED_KEY.match(text, start):
                state.double_quotes()
        state.insert_comma(start)
        state.begin_key(start)
        self._strings.open('"', key=True, width=self._doubled_width('"'))

    def open_value(self, quote: str) -> None:
        """Begins a string value at the current position."""
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
        self._strings.open(quote, key=False, width=self._doubled_width(quote))

    def _doubled_width(self, quote: str) -> int:
        is_doubled = self._state.doubled and self._source.text.startswith('""', self._source.pos)
        return 2 if is_doubled and quote == '"' else 1

    def _is_triple(self, quotes: str) -> bool:
        """Whether three quotes follow that end the string which three quotes begin here."""
        source = self._source
        end = source.text.find(quotes, source.pos + 3)
        self.waits = end < 0 and not source.final
        if self.waits:
            raise More
        # Asked once: quotes that the rest of the text lacks, every later rest lacks too.
        self._no_triple = end < 0
        return end >= 0

    def stores(self, piece: str) -> bool:
        """Stores a piece that does not end the string in triple quotes; returns whether it did.

        Searching all the text so far for the end, at every piece, would be quadratic.
        """
        text, start = self._source.text, self._source.pos
        # The last two characters are searched again, as chunks may cut the three quotes.
        behind = self._tail if self._stored else text[start + 3 :][-2:]
        behind += piece
        if text[start] * 3 in behind:
            return False
        self._stored.append(piece)
        self._tail = behind[-2:]
        return True

    def take_stored(self) -> str:
        """Returns the stored pieces."""
        kept = "".join(self._stored)
        self._stored.clear()
        self.waits = False
        return kept

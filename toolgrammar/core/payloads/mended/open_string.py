r"""Holds the open string of damaged JSON, and reads the content that can't end it.

The content is runs of plain characters, escapes, control characters, halves of surrogate pairs.
Example: the backslash of `"C:\dir"` escapes nothing, so it is doubled with a repair `escape`.
`'it\'s'` is between single quotes: its `style` is the repair `quote-style`, to which each quote
and escape in it adds an edit, so that there is one repair in all.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Final

from toolgrammar.core.payloads.json.tokens import BRACKETS, TAG, as_json
from toolgrammar.core.payloads.mended.look import More
from toolgrammar.tools.json_tokens import (
    CONTROL_ESCAPES,
    CONTROLS,
    ESCAPE,
    HALVES,
    HEX,
    HIGH_HALF,
    LOW_BEGUN,
)
from toolgrammar.values.patterns import Matcher, anywhere, late

if TYPE_CHECKING:
    from toolgrammar.core.payloads.mended.repairs import Repair
    from toolgrammar.core.payloads.mended.state import State


@cache
def _run(close: str, brackets: str) -> Matcher:
    """Returns the matcher for the characters of a string that are read at once.

    A comma before a quote is not among them: the string may end before it, if its quote is missing.
    Inside markup, neither are closing brackets, unless a word continues after them, nor markup that
    may close a call.

    Args:
        close: the quote that closes the string.
        brackets: the closing brackets and `<` inside markup, else "".
    """
    stops = {'"', close, *brackets}
    plain = "".join(sorted(stops)) + r"\\," + CONTROLS + HALVES
    opening = "".join(sorted({'"', "'", close}))
    comma = rf",(?![ \t\r\n]*+(?:[{opening}]|\Z))"
    goes_on = f"|{BRACKETS}|{TAG}" if brackets else ""
    return anywhere(rf"(?:[^{plain}]++|{comma}|{ESCAPE}{goes_on})*+").match


_CONTROL_ESCAPE = late(rf"(?:[^\\]|\\[^{CONTROL_ESCAPES}])*+\\[{CONTROL_ESCAPES}]", re.DOTALL)
_FRAME: Final = r"}\]<"
_HEX = anywhere(rf"{HEX}{{0,4}}")
_HIGH_BEGUN = late(rf"\\u{HIGH_HALF}{LOW_BEGUN}\Z")
_HALVES = anywhere(f"[{HALVES}]*")


class OpenString:
    """The open string, or the last one that was open."""

    def __init__(self, state: State, *, backticks: bool) -> None:
        self._source = state.source
        self._state = state
        self.backticks = backticks
        """Whether values may be between backticks without a repair."""
        self.close = '"'
        """The quote that closes it."""
        self.width = 1
        """The number of quotes that close it."""
        self.in_key = False
        self.start = 0
        """The offset of its opening quote in the source."""
        self.repairs_before = 0
        self.style: Repair | None = None
        """The repair of its quotes, if they are not those of JSON."""
        self.typed: list[str] | None = None
        """Its body, which is held back if the schema does not want a string."""
        self.escapes = False
        """Whether it contains an escaped control character."""
        self.kept_letter = False
        """Whether it contains a backslash that is before a letter and escapes nothing."""
        self.quotes = False
        """Whether it contains escaped quotes: it may contain JSON itself."""
        self.inner_quoted = False
        """Whether it contains quotes that are not escaped."""
        self.is_plain = False
        """Whether its body is emitted unchanged."""
        self._dollar = False

    @property
    def is_value(self) -> bool:
        """Whether it is emitted while it is read."""
        return not self.in_key and self.typed is None

    @property
    def is_template(self) -> bool:
        """Whether it is between backticks that are allowed here."""
        return self.backticks and self.close == "`"

    def begin(self, close: str, width: int, start: int, *, key: bool, typed: bool) -> None:
        """Begins a string at an offset of the source."""
        self.close, self.width, self.start, self.in_key = close, width, start, key
        self.typed = [] if typed else None
        self.style = None
        self.escapes = self.kept_letter = self.quotes = False
        self.inner_quoted = self._dollar = False
        self.is_plain = close == '"' and width == 1 and not key and not typed

    def open(self, style: Repair | None, repairs_before: int) -> None:
        """Records how its opening quote was mended."""
        self.style, self.repairs_before = style, repairs_before

    def end(self) -> None:
        """Ends the string."""
        self.style = None
        self.in_key = self.is_plain = False

    def take_typed(self) -> str:
        """Ends a string that was held back; returns its body."""
        body = "".join(self.typed or ())
        self.typed = None
        return body

    def note(self, piece: str) -> None:
        """Records what a piece of the source shows about the string."""
        if "\\" in piece:
            if not self.escapes and _CONTROL_ESCAPE.match(piece):
                self.escapes = True
            self.quotes = self.quotes or '\\"' in piece
        if self.close == "`":
            # The value of a placeholder in a template is unknown.
            if self.style is not None and ("${" in piece or (self._dollar and piece[0] == "{")):
                self.style.become("template", doubt=True)
            # `$` and `{` may come in two pieces.
            self._dollar = piece[-1] == "$"

    def keep_quote(self) -> None:
        """Records a quote inside that is not escaped."""
        self.inner_quoted = True

    def restyle(self, start: int, end: int, text: str) -> None:
        """Adds an edit at indices of the text to the repair of its quotes, if there is one."""
        if self.style is not None:
            base = self._source.base
            self.style.edit(base + start, base + end, text)
            self.style.extend(base + end)

    # Reading the content

    def run(self, *, framed: bool) -> int:
        """Reads plain characters and escapes; returns the index of the first other character.

        Args:
            framed: whether the value is inside markup, so that brackets may end the string.
        """
        text, start = self._source.text, self._source.pos
        end = _run(self.close, _FRAME if framed else "")(text, start).end()
        if end > start:
            piece = text[start:end]
            self.note(piece)
            self.take(piece, end)
        return end

    def take(self, piece: str, end: int) -> None:
        """Adds a piece to the string; `end` is the index of the text after it."""
        if self.in_key:
            self._state.keep(piece)
        elif self.typed is not None:
            self.typed.append(piece)
        else:
            self._state.give(piece)
        self._source.go(end)

    def half_pairs(self, start: int) -> None:
        """Replaces the halves of surrogate pairs that are here in a row."""
        end = _HALVES.match(self._source.text, start).end()
        self._state.repair("lone-surrogate", start, end, "\ufffd" * (end - start))
        self.take("\ufffd" * (end - start), end)

    def one_of_three(self, start: int) -> None:
        """Reads one quote of a kind of which three close the string."""
        self._wait_for_width(start)
        self.take(self.close, start + 1)

    def other_quote(self, start: int) -> None:
        """Reads a double quote that does not close the string."""
        if self.width > 1 and self.close == '"':
            self._wait_for_width(start)
        self.restyle(start, start + 1, '\\"')
        self.take('\\"', start + 1)

    def _wait_for_width(self, start: int) -> None:
        """Raises `More` if the rest of the closing quotes may come."""
        if start + self.width > len(self._source.text) and not self._source.final:
            raise More

    def controls(self, start: int, end: int) -> None:
        """Escapes control characters."""
        written = as_json(self._source.text[start:end])[1:-1]
        # Strings in three quotes or backticks may contain line ends: the repair of the quotes
        # covers them.
        if self.width == 3 or self.close == "`":
            self.restyle(start, end, written)
        else:
            self._state.repair("control", start, end, written)
        self.take(written, end)

    def backslash(self, start: int) -> None:
        """Reads a backslash that begins no escape of JSON: `run` has read the ones that do."""
        source = self._source
        # The character that it escapes comes with the next chunk.
        if start + 1 == len(source.text):
            raise More
        character = source.text[start + 1]
        if character == "u":
            self._unicode_escape(start)
        # `\'` is not an escape of JSON: the quote is kept without it.
        elif character in "'`" or character == self.close:
            if self.style is not None and character == self.close:
                self.restyle(start, start + 1, "")
            elif not self.is_template:
                self._state.repair("escape", start, start + 2, character)
            self.take(character, start + 2)
        else:
            self._keep_backslash(start, letter=character.isalpha())

    def _keep_backslash(self, start: int, *, letter: bool) -> None:
        if not self.is_template:
            self._state.repair("escape", start, start + 1, "\\\\")
            if letter:
                self.kept_letter = True
        self.take("\\\\", start + 1)

    def _unicode_escape(self, start: int) -> None:
        r"""Reads `\u` with too few digits after it, or half a surrogate pair."""
        text = self._source.text
        end = _HEX.match(text, start + 2).end()
        if end < start + 6:
            # More digits may come.
            if end == len(text):
                raise More
            # `\user`: four digits are missing, so it is not an escape.
            self._keep_backslash(start, letter=True)
            return
        # `\ud83d\u` may become a complete pair.
        if _HIGH_BEGUN.match(text, start):
            raise More
        self._state.repair("lone-surrogate", start, end, "\ufffd")
        self.take("\ufffd", end)

r"""Reads one string of Python's notation as it arrives: quotes, prefixes, escapes.

Example: `'a\x41'` is `aA`, `r'\d'` keeps its backslash, `f'{x}'` is refused.

A sound string is read as Python reads it. A quote is a part of the string only if the text after it
is not Python: then the next quote that fits ends it. Example: in `f(q='it's here')` an `s` follows
the second quote, which is impossible in Python, so the third one ends the string.
"""

from __future__ import annotations

import codecs
import re
import sys
import unicodedata
from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple

from toolgrammar.core.payloads.json.tokens import ChunkMemo, as_json
from toolgrammar.tools.json_tokens import HALVES, LOW_DIGITS
from toolgrammar.values.patterns import anywhere, compile_pattern, late

if TYPE_CHECKING:
    from collections.abc import Sequence

PREFIXES: Final = frozenset({"", "r", "u", "f", "rf", "fr"})
"""The prefixes that are allowed before a quote, in lower case; bytes have no equivalent in JSON."""
_PLAIN_PREFIXES: Final = frozenset({"", "u"})
"""The prefixes of strings whose quotes are judged: raw strings and f-strings are not."""

_REACH: Final = 256
"""The number of characters after a quote that are examined."""
_GAP = anywhere(r"\s*")
_WORD = late(r"\w+")
_ARGUMENT = late(r"([^\W\d]\w{0,128})\s{0,32}(=?)([\s\S]?)")
_EXPRESSION: Final = frozenset({"if", "else", "for", "in", "and", "or", "not", "is"})
"""The words that continue an expression."""


_BEFORE: Final = frozenset(" ([=:")
"""The characters after which a quote may open a string, and does not close one."""


class Quotes:
    """The quotes of one string, and what is known about them."""

    def __init__(self, parameters: Sequence[str], *, named: bool, nested: bool) -> None:
        self.parameters = parameters
        self.named = named
        """Whether the string is the value of a keyword."""
        self.nested = nested
        """Whether the string is inside a container."""
        self.inner = False
        """Whether the string contains quotes."""
        self.final = False
        """Whether no more text comes."""

    def close(self, text: str, quote: int, *, final: bool) -> bool | None:
        """Whether the quote at an index ends the string; None if more text must decide.

        Args:
            text: contains the quote, the character before it, and the text after it.
            quote: the index of the quote.
            final: whether the text ends here.
        """
        self.final = final
        closes = self._closes(text, quote + 1, text[quote - 1 : quote])
        self.inner = self.inner or closes is False
        return closes

    def _closes(self, text: str, index: int, before: str) -> bool | None:
        """Decides by the text after a quote, which `index` is, and by the character before it."""
        place = _GAP.match(text, index).end()
        # No stream waits for the text after so much white space.
        if place - index > _REACH:
            return True
        # Only the end of the message decides; a chunk may end anywhere.
        if place == len(text):
            return True if self.final else None
        character = text[place]
        if character in ")]}:":
            return self._before_closer(text, place, character)
        if character == ",":
            # After a quote inside, the text may go on: `q='say 'hi', then go'`. Only the names of
            # arguments decide: so neither a list nor a positional value is judged.
            judged = self.inner and self.named and not self.nested
            return self._before_comma(text, place) if judged else True
        # Python joins `'a' 'b'`. After a quote inside, such a sequence is text.
        if character in "'\"":
            return not self.inner
        if character.isalnum() or character == "_":
            return self._before_word(text, index, place)
        if self.inner:
            return False
        # `'use '--force' here'`: after a blank and directly before a mark, it opens a quotation.
        return not (before in _BEFORE and place == index)

    def _before_closer(self, text: str, place: int, character: str) -> bool | None:
        """Decides for a quote with a closing bracket or a colon after it."""
        # No open bracket could be closed by them.
        if not self.nested and character in "}:":
            return not self.inner
        if not self.inner:
            return True
        # In `'(see 'x') or so'` text follows the bracket: the quote is inside the string.
        behind = _GAP.match(text, place + 1).end()
        if behind == len(text) and behind - place < _REACH:
            return True if self.final else None
        return behind == len(text) or not (text[behind] in "'\"" or text[behind].isalnum())

    def _before_comma(self, text: str, place: int) -> bool | None:
        """Decides for a quote with a comma after it: it closes if another argument follows."""
        start = _GAP.match(text, place + 1).end()
        if start == len(text):
            return True if self.final or start - place > _REACH else None
        match = _ARGUMENT.match(text, start)
        if match is None:
            # A comma before the end of the arguments, or text that is no argument.
            return text[start] in ")]"
        # The name may continue, or its `=` is still to come.
        if match.end() == len(text) and not match[3] and not self.final:
            return None
        # `b=1`, not `b == 1`.
        is_argument = match[2] == "=" != match[3]
        # If the parameters are known, any other name is text.
        known = not self.parameters or match[1] in self.parameters
        return is_argument and known

    def _before_word(self, text: str, index: int, place: int) -> bool | None:
        """Decides for a quote with a word after it."""
        match = _WORD.match(text, place, place + _REACH)
        assert match is not None
        if match.end() == len(text) and not self.final:
            return None
        word = match.group()
        if self.inner:
            return False
        # `'a' f'b'`: the next part of the string.
        if word.lower() in PREFIXES and text[match.end() : match.end() + 1] in ("'", '"'):
            return True
        # `'a' if x else 'b'`: the string ends; the expression is refused later.
        return word in _EXPRESSION or "\n" in text[index:place]


_SIMPLE_ESCAPE: Final = r"""\\[abfnrtv'"\\\n]"""
"""The expression of an escape of one character; a line end after the backslash is one, too."""
_NAME: Final = r"[A-Za-z0-9 -]{1,128}"
"""The name of a character, as `LATIN SMALL LETTER A`; none is as long."""
_ESCAPE = late(
    r"\\(?:(?P<octal>[0-7]{1,3})|(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8}))|\r\n?)"
)
_NAMED = late(rf"\\N\{{({_NAME})\}}")
# At the end of the text so far: more text could complete or lengthen this escape.
_UNFINISHED_ESCAPE = late(
    r"\\(?:[0-7]{0,2}|x[0-9a-fA-F]?|u[0-9a-fA-F]{0,3}|U[0-9a-fA-F]{0,7}|\r"
    rf"|N(?:\{{(?:{_NAME})?)?)\Z"
)
_HIGH_HALVES: Final = range(0xD800, 0xDC00)
_ALL_HALVES: Final = range(0xD800, 0xE000)
_LOW_HALF = late(rf"[\udc00-\udfff]|\\(?:u|U0000)({LOW_DIGITS})")
_UNNAMED: Final = "Found the name of a character that Unicode has not; kept the escape as text"


@lru_cache(maxsize=16)
def _run(quote: str, *, formatted: bool, raw: bool) -> re.Pattern[str]:
    """Compiles the pattern of the longest run of characters and simple escapes in such a string.

    It excludes halves of surrogate pairs, which have to be joined.
    """
    special = quote + "\\" + ("{}" if formatted else "")
    plain = f"[^{re.escape(special)}{HALVES}]"
    # A raw string has no escapes: only its own quote and the backslash end the run.
    if raw:
        return compile_pattern(f"{plain}+")
    # A run by runs: an alternation, `(?:…|…)++`, takes a fifth longer.
    return compile_pattern(rf"(?={plain}|{_SIMPLE_ESCAPE}){plain}*+(?:{_SIMPLE_ESCAPE}{plain}*+)*+")


def _meant(run: str, *, raw: bool) -> str:
    """Returns the characters that such a run encodes."""
    if raw or "\\" not in run:
        return run
    # The decoder takes Latin-1; a character beyond it becomes an escape, which it decodes as well.
    return codecs.decode(run.encode("latin-1", "backslashreplace"), "unicode_escape")


@lru_cache(maxsize=8)
def _pieces(quote: str, *, formatted: bool, raw: bool) -> ChunkMemo[str]:
    """Returns a memo of the JSON of a piece; "" if the piece is more than plain characters."""
    fullmatch = _run(quote, formatted=formatted, raw=raw).fullmatch
    return ChunkMemo(lambda run: as_json(_meant(run, raw=raw))[1:-1] if fullmatch(run) else "")


class Doubtful(NamedTuple):
    """A part of a string that may have been meant otherwise: an escape, or half a surrogate pair."""

    code: str
    message: str
    start: int
    """Its index in the fed text."""
    end: int
    replacement: str | None = None
    """The text that replaces it in the value; None if it is kept."""


class PythonStringReader:
    r"""Decodes one string literal, from its opening quote on.

    Line ends and control characters are data in every kind of string, as models write them. An
    unknown or malformed escape (`\d`, `\x4`) keeps its backslash.
    """

    def __init__(
        self, prefix: str = "", quotes: Quotes | None = None, *, is_markdown: bool = False
    ) -> None:
        """Makes a reader of one string.

        Args:
            prefix: the text before its quote, in lower case.
            quotes: judges quotes that are not escaped; if None, or if the string is a raw one or an
                f-string, the first quote closes the string.
            is_markdown: whether a backslash before an underscore is dropped in other strings.
        """
        self._raw = "r" in prefix
        self._formatted = "f" in prefix
        is_plain = prefix in _PLAIN_PREFIXES
        self._quotes = quotes if is_plain else None
        self._is_markdown = is_markdown and is_plain
        self._mends = quotes is not None
        self._quote = ""  # one or three quotes, "" until that is decided
        self._run = _run("'", formatted=False, raw=False)
        self.closed = False
        self.failure = ""
        self.kept: list[int] = []
        """The indices in the fed text of quotes that are a part of the string."""
        self.left_out: list[int] = []
        """The indices in the fed text of backslashes that were dropped."""
        self.doubtful: list[Doubtful] = []
        """The other parts that may have been meant otherwise."""

    @property
    def is_odd(self) -> bool:
        """Whether anything is to be recorded."""
        return bool(self.kept or self.left_out or self.doubtful)

    def feed(self, text: str, position: int, *, final: bool = False) -> tuple[str, int]:
        """Returns the decoded characters and the offset of the first one that is undecided.

        Args:
            text: contains the string, and the character before the part to read.
            position: the index where to continue.
            final: whether the text ends here.
        """
        pieces: list[str] = []
        if not self._quote:
            position = self._open(text, position)
        while self._quote and position < len(text) and not (self.closed or self.failure):
            if (run := self._run.match(text, position)) is not None:
                pieces.append(_meant(run[0], raw=self._raw))
                end = run.end()
            elif text[position] == "\\":
                end = self._read_backslash(text, position, pieces)
            elif text[position] == self._quote[0]:
                end = self._read_quote(text, position, pieces, final=final)
            elif text[position] in "{}":
                end = self._read_brace(text, position, pieces)
            else:
                code = ord(text[position])
                end = self._read_half(text, position, position + 1, code, pieces)
            # The text after this index decides what is here.
            if end == position:
                break
            position = end
        return "".join(pieces), position

    def forget(self) -> None:
        """Forgets the odd parts, once they are recorded."""
        self.kept.clear()
        self.left_out.clear()
        self.doubtful.clear()

    def run_on(self) -> ChunkMemo[str] | None:
        """Returns a memo of the JSON of chunks that only continue the string, or None."""
        if self.closed or self.failure or not self._quote:
            return None
        return _pieces(self._quote[0], formatted=self._formatted, raw=self._raw)

    # Each of these returns its own offset if it needs more text.

    def _open(self, text: str, position: int) -> int:
        """Distinguishes one opening quote, three of them, and an empty string."""
        opening = text[position : position + 3]
        quote = opening[0]
        # `''` may become `'''`.
        if len(opening) < 3 and opening == quote * len(opening):
            return position
        self._quote = quote * 3 if opening == quote * 3 else quote
        self._run = _run(quote, formatted=self._formatted, raw=self._raw)
        # `''` and another character: an empty string.
        if opening[1] == quote and len(self._quote) == 1:
            self.closed = True
            return position + 2
        return position + len(self._quote)

    def _read_quote(self, text: str, position: int, pieces: list[str], *, final: bool) -> int:
        """Reads a quote of the string's kind, which closes it or is a part of it."""
        if text.startswith(self._quote, position):
            closes: bool | None = True
            # Three quotes are not judged: text hardly ever contains three.
            if self._quotes is not None and len(self._quote) == 1:
                closes = self._quotes.close(text, position, final=final)
            if closes is None:
                return position
            if closes:
                self.closed = True
                return position + len(self._quote)
            self.kept.append(position)
        # The text ends: the other two quotes may follow.
        elif self._quote.startswith(text[position : position + 3]):
            return position
        pieces.append(self._quote[0])
        return position + 1

    def _read_backslash(self, text: str, position: int, pieces: list[str]) -> int:
        """Reads a backslash with the escape that it begins, if it begins one."""
        # `get\_user`: if names are written so, strings are too.
        if self._is_markdown and text.startswith("_", position + 1):
            self.left_out.append(position)
            return position + 1
        if self._raw:
            if position + 1 == len(text):
                return position
            # In a raw string a backslash keeps a quote from closing, and both are data.
            length = 2 if text[position + 1] in {"\\", self._quote[0]} else 1
            pieces.append(text[position : position + length])
            return position + length
        if _UNFINISHED_ESCAPE.match(text, position) is not None:
            return position
        if (named := _NAMED.match(text, position)) is not None:
            return self._read_named(named, pieces)
        escape = _ESCAPE.match(text, position)
        number = 0
        if escape is not None and escape.lastindex:
            number = int(escape[escape.lastindex], 8 if escape["octal"] else 16)
        # `\d`, `\x4`, or beyond the last code point: the backslash is kept, as in Python.
        if escape is None or number > sys.maxunicode:
            pieces.append("\\")
            return position + 1
        if number in _ALL_HALVES:
            return self._read_half(text, position, escape.end(), number, pieces)
        # A line end after the backslash encodes nothing.
        pieces.append(chr(number) if escape.lastindex else "")
        return escape.end()

    def _read_named(self, named: re.Match[str], pieces: list[str]) -> int:
        """Reads the escape of a character by its name."""
        try:
            character = unicodedata.lookup(named[1])
        except KeyError:
            character = ""
        # Python takes no name of several characters here, either.
        if len(character) != 1:
            self.doubtful.append(Doubtful("escape", _UNNAMED, *named.span()))
            pieces.append("\\")
            return named.start() + 1
        pieces.append(character)
        return named.end()

    def _read_half(self, text: str, position: int, end: int, code: int, pieces: list[str]) -> int:
        """Reads half a surrogate pair, with the half that follows it: together they are one character.

        A half alone is not a character, and UTF-8 can't encode it.
        """
        if code in _HIGH_HALVES:
            low = _LOW_HALF.match(text, end)
            # A raw string has no escapes.
            if low is not None and not (self._raw and low[1]):
                other = int(low[1], 16) if low[1] else ord(low[0])
                pieces.append(chr(0x10000 + ((code - 0xD800) << 10) + other - 0xDC00))
                return low.end()
            begins = not self._raw and _UNFINISHED_ESCAPE.match(text, end) is not None
            if end == len(text) or begins:
                return position
        if self._mends:
            self.doubtful.append(Doubtful("lone-surrogate", "", position, end, "\ufffd"))
        pieces.append("\ufffd" if self._mends else chr(code))
        return end

    def _read_brace(self, text: str, position: int, pieces: list[str]) -> int:
        """Reads a doubled brace of an f-string; a single one would begin an expression."""
        if position + 1 == len(text):
            return position
        # `{{` encodes one brace.
        if text[position + 1] == text[position]:
            pieces.append(text[position])
            return position + 2
        self.failure = "Found a placeholder in an f-string; arguments are literals"
        return position + 1

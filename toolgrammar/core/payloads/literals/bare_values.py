r"""Converts the values in an object of bare words: words, numbers, and the escapes of strings.

Example: in `{a: 5., b: New York, c: 'it\'s'}` the values are `5.0`, `"New York"` and `"it's"`.
"""

from __future__ import annotations

import json
import re
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Final

from toolgrammar.core.payloads.json.other_scalars import decimal
from toolgrammar.core.payloads.json.tokens import as_json
from toolgrammar.core.payloads.literals.python_json import NAMED_VALUES
from toolgrammar.patterns.damaged_marks import marks_of, most_damaged
from toolgrammar.patterns.distances import is_within
from toolgrammar.tools.json_tokens import (
    ANY_HALF,
    HALVES,
    HIGH_HALF,
    LOW_BEGUN,
    LOW_DIGITS,
    LOW_HALF,
    MAX_DIGITS,
    PLAIN,
    SMART_QUOTES,
)
from toolgrammar.values.patterns import compile_pattern, late

if TYPE_CHECKING:
    from collections.abc import Collection

_ESCAPE = late(
    r"\\(?:u\{(?P<point>[0-9a-fA-F]{1,6})\}|u(?P<unit>[0-9a-fA-F]{4})|x(?P<byte>[0-9a-fA-F]{2})"
    r"|(?P<one>\r\n|[\s\S]))"
)
_ESCAPE_BEGUN = late(
    r"\\(?:u(?:\{[0-9a-fA-F]{0,6}|[0-9a-fA-F]{0,3})|x[0-9a-fA-F]?|\r)?\Z"
    rf"|\\u{HIGH_HALF}{LOW_BEGUN}\Z"
)
_PAIR = late(rf"\\u{HIGH_HALF}{LOW_HALF}")
_HALF = late(rf"{ANY_HALF}|\\u\{{0{{0,2}}(?:{HIGH_HALF}|{LOW_DIGITS})\}}|[{HALVES}]")
_ESCAPED = {
    "n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v", "0": "\0",
    "\n": "", "\r": "", "\r\n": "", "\u2028": "", "\u2029": "",  # the string continues
}  # fmt: skip
_TAG = late(r"<\w[\w-]*>")
_PRINTED: Final = frozenset("\u201c\u201d\u201e\u201f\u00ab\u00bb\u2018\u201a\uff02")
"""Quotes that no format uses; the apostrophe of a plural is not among them."""
_QUOTES: Final = frozenset(f"\"'`{SMART_QUOTES}")
"""Quotes that a bare key does not contain."""
_SHORT: Final = 3
"""Quotes of more characters than this are recognised when they are damaged, too."""
_LAST_CHARACTER: Final = 0x10FFFF

TEMPLATE: Final = "`"
"""The quote of strings with placeholders, `${…}`, for expressions."""


def opened_quote(text: str, at: int, quotes: Collection[str]) -> str | None:
    """Returns the quote at an index; "" if there is none, None if more text must decide."""
    left, may = len(text) - at, False
    for quote in quotes:
        if text.startswith(quote, at):
            return quote
        # `<|` at the end of a chunk may become `<|"|>`.
        may = may or (len(quote) > left and text.endswith(quote[:left]))
    return None if may else ""


# Remembered, since the keys of a tool come again with each of its calls.
@lru_cache(maxsize=1024)
def may_be_quoted(word: str, quotes: tuple[str, ...], *, is_key: bool) -> bool:
    """Whether a bare word may have been a string: a quote, perhaps damaged, is at an edge of it.

    In a key it may be anywhere: `{note"x";kind:1}` has lost the colon behind `note`.

    A typographic quote counts, too. So does a word without a letter or digit: the `>` of `>,` may
    be all that is left of a quote, and `...` stands for omitted text.
    """
    if word and not any(map(str.isalnum, word)):
        return True
    if word[:1] == ":":
        return True  # of `{a::1}`
    if is_key and not _QUOTES.isdisjoint(word):
        return True
    if len(word) > 1 and any(each.startswith(word) or each.endswith(word) for each in quotes):
        return True  # `<e` of `<escape>`
    if word[:1] in _PRINTED or word[-1:] in _PRINTED:
        return word != ""
    for quote in quotes:
        # Damage leaves most of a quote's characters.
        if set(quote).isdisjoint(word):
            continue
        size = len(quote)
        if word.endswith(quote) or (size > 1 and quote in word):
            return True
        # A quote that is broken off, as in `<esca# note`; `<b>` is a whole tag.
        if size > _SHORT and word.startswith(quote[0]) and not _TAG.match(word):
            return True
        # At either edge one character of the quote may be missing, or one too many.
        sizes = (size - 1, size, size + 1) if size > _SHORT else ()
        edges = {edge for n in sizes for edge in (word[:n], word[-n:])}
        if any(is_within(size // 4, quote, each) for each in edges) or holds_quote(word, quote):
            return True
    return False


def holds_quote(text: str, quote: str) -> bool:
    """Whether a text contains a long quote that is damaged, or ends with the beginning of one."""
    return len(quote) > _SHORT and (text.endswith(quote[0]) or _is_in(text, quote))


@lru_cache(maxsize=1024)
def _is_in(text: str, quote: str) -> bool:
    """Whether a text contains a long quote that is damaged."""
    # Remembered, since a page of HTML repeats its tags: 4 KB of one would take four times as long.
    return quote[:-1] in text or marks_of((quote,)).find(text, pairs=False) is not None


class DamagedQuotes:
    """Looks for a damaged quote in a string, wherever the string is cut.

    Only what the first character of a quote begins is looked at: a window of its length and of the
    characters that damage may add.
    """

    def __init__(self, quote: str) -> None:
        self._quote = quote
        self._size = len(quote) + most_damaged(quote)
        self._begun = ""
        """The end of the string so far, from the first window that is not complete."""
        self.found = ""
        """The first window that contains one."""

    @property
    def waits(self) -> bool:
        """Whether a window is not complete."""
        return self._begun != ""

    def look(self, piece: str) -> None:
        """Looks into the next piece of the string."""
        if len(self._quote) <= _SHORT:
            return
        text, first = self._begun + piece, self._quote[0]
        at = text.find(first)
        while 0 <= at <= len(text) - self._size:
            self._judge(text[at : at + self._size])
            at = text.find(first, at + 1)
        self._begun = text[at:] if at >= 0 else ""

    def end(self) -> str:
        """Looks into what the end of the string leaves; returns the window with the damaged quote."""
        if not self.found and holds_quote(self._begun, self._quote):
            self.found = self._begun
        return self.found

    def _judge(self, window: str) -> None:
        if not self.found and _is_in(window, self._quote):
            self.found = window


@cache
def string_runs(quote: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Returns the patterns of text that can't end a string, and of text that JSON spells alike."""
    other = re.escape(quote)
    # A part that JSON spells alike is emitted unchanged.
    # Half a surrogate pair is no character, and is reported.
    same = rf'(?:[^{PLAIN}{HALVES}{other}]++|\\[nrtbf"\\])+'
    return compile_pattern(rf"[^{other}\\{HALVES}]+"), compile_pattern(same)


def word_as_json(word: str) -> str:
    """Returns the JSON text of a bare word."""
    # Models write the names of Python, too: a string that is one of them has quotes.
    if word in NAMED_VALUES:
        return json.dumps(NAMED_VALUES[word])
    # `+5` is not a number here.
    is_short = len(word) <= MAX_DIGITS and not word.startswith("+")
    return (decimal(word) if is_short else None) or as_json(word)


def read_escape(text: str, at: int, sink: list[str]) -> tuple[int, bool]:
    """Appends the value of an escape, or of a raw half of a surrogate pair, as JSON.

    Returns:
        Its end, or `at` if it is cut; and whether it is half a pair alone, in whose place U+FFFD is
        appended.
    """
    if _ESCAPE_BEGUN.match(text, at):
        return at, False
    pair = _PAIR.match(text, at)
    if pair is not None:
        sink.append(pair.group())
        return pair.end(), False
    half = _HALF.match(text, at)
    if half is not None:
        sink.append("\ufffd")
        return half.end(), True
    written, end = _escape_as_json(text, at)
    sink.append(written)
    return end, False


def _escape_as_json(text: str, at: int) -> tuple[str, int]:
    """Returns the value of a complete escape, as JSON in a string, and its end."""
    match = _ESCAPE.match(text, at)
    assert match is not None
    one = match["one"]
    if one is not None:
        # `\q` is `q`, as in JavaScript.
        return as_json(_ESCAPED.get(one, one))[1:-1], match.end()
    code = int(match["point"] or match["unit"] or match["byte"], 16)
    if match["unit"]:
        return f"\\u{code:04x}", match.end()
    # `\u{FFFFFF}` is beyond the last code point.
    return as_json(chr(min(code, _LAST_CHARACTER)))[1:-1], match.end()

"""Reads a Python literal as a JSON value, in one pass, without running or compiling anything.

`('a', None, {1: True})` becomes `["a", null, {"1": true}]`.

`ast.literal_eval` would read more, but it warns about odd escapes, and deep nesting may end the
process.
"""

from __future__ import annotations

import math
import re
import sys
from typing import Any, Final

from toolgrammar.values.patterns import late

# A comment counts as white space, as in Python.
_SPACE = late(r"[ \t\r\n\f]*(?:#[^\n]*\n[ \t\r\n\f]*)*")
_STRING = late(
    # No `b` and no `f`: bytes and expressions are no JSON.
    r"(?P<prefix>[rRuU]?)(?:"
    # Three quotes are tried before one: `"""` is not an empty string and a quote.
    r'"""(?P<a>(?:[^"\\]|\\.|"(?!""))*+)"""'
    r"|'''(?P<b>(?:[^'\\]|\\.|'(?!''))*+)'''"
    r'|"(?P<c>(?:[^"\\\n]|\\.)*+)"'
    r"|'(?P<d>(?:[^'\\\n]|\\.)*+)')",
    re.DOTALL,
)
# A sign inside of a word belongs to the exponent: `1e-5`.
_WORD = late(r"[+-]?[A-Za-z0-9_.]+(?:(?<=[eE])[+-][0-9_]+)?")
# No leading zeros: `007` is not an integer in Python.
_INTEGER = late(
    r"([+-]?)(?:(0[xX](?:_?[0-9a-fA-F])+|0[oO](?:_?[0-7])+|0[bB](?:_?[01])+)"
    r"|([1-9](?:_?[0-9])*|0(?:_?0)*))"
)
_DIGITS = r"[0-9](?:_?[0-9])*"
_FLOAT = late(
    rf"[+-]?(?:{_DIGITS}\.(?:{_DIGITS})?|\.{_DIGITS}|{_DIGITS}(?=[eE]))(?:[eE][+-]?{_DIGITS})?"
)
_ESCAPE = late(
    # `\N{DASH}`, and `\x` with too few digits, match without a group: they are refused.
    r"\\(?:(\r\n|[\\'\"abfnrtv\n])|([0-7]{1,3})|x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})"
    r"|U([0-9a-fA-F]{8})|[xuUN])"
)
_ESCAPED: Final = {
    "\\": "\\", "'": "'", '"': '"', "a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r",
    "t": "\t", "v": "\v", "\n": "", "\r\n": "",
}  # fmt: skip
_NAMES: Final = {"True": True, "False": False, "None": None}
_CLOSERS: Final = {"[": "]", "(": ")", "{": "}"}
_LONGEST_WORD: Final = 4300
"""CPython neither reads nor writes an integer of more decimal digits."""
_LONGEST_PREFIXED: Final = 3500
"""The longest number with a prefix, in digits, whose value stays below that."""
_MISSING: Final = object()


class _NoLiteral(Exception):  # noqa: N818 - never leaves this module
    """The text is not a literal that JSON can say."""


def read_literal(text: str, max_depth: int) -> Any:
    """Returns the JSON value of a list, tuple, set or dict literal; None for any other text.

    Tuples, and a set that is the whole value, become lists, integers as keys become strings. Numbers that JSON has not, bytes
    and half surrogate pairs are refused.
    """
    try:
        value = _Reader(text, max_depth).whole()
        # A word or a number is left to the caller, who has its schema's type to read it by.
        return value if isinstance(value, list | dict) else None
    except (_NoLiteral, ValueError):  # a process may set a lower limit for integers
        return None


class _Frame:
    """An open bracket, and its items so far."""

    __slots__ = ("closer", "commas", "items", "key", "pairs")

    def __init__(self, closer: str) -> None:
        self.closer = closer
        self.items: list[Any] = []
        self.pairs: dict[str, Any] | None = None
        self.key: str | None = None
        self.commas = 0

    @property
    def wants_hashable(self) -> bool:
        """Whether the next value is a key, or an item of a set."""
        return self.closer == "}" and self.key is None

    @property
    def is_set(self) -> bool:
        """Whether the bracket holds items in braces, and no pair."""
        return self.closer == "}" and self.pairs is None and bool(self.items)

    def end_item(self) -> None:
        """Counts a comma."""
        self.commas += 1

    def add(self, value: Any) -> None:
        """Adds a value as an item, or as the value of the pending key."""
        if self.key is not None and self.pairs is not None:
            self.pairs[self.key] = value
            self.key = None
        else:
            self.items.append(value)

    def begin_pair(self) -> None:
        """Makes the value read last the key of a pair."""
        # Without a comma since, one item stands there; a dict holds pairs alone.
        if self.closer != "}" or len(self.items) != 1 or (self.pairs is None and self.commas):
            raise _NoLiteral
        key = self.items.pop()
        # True would become the key "True" or, as Python has it, the key 1: neither was meant for
        # sure.
        if isinstance(key, bool) or not isinstance(key, str | int):
            raise _NoLiteral
        self.pairs = {} if self.pairs is None else self.pairs
        self.key = str(key)

    def closed(self) -> Any:
        """Returns the value that the bracket and its closer hold."""
        # `{}` is a dict, `{1}` is a set.
        if self.closer == "}" and (self.pairs is not None or not self.items):
            # `{1: 2, 3}` is neither a dict nor a set.
            if self.items:
                raise _NoLiteral
            return self.pairs or {}
        if self.closer == ")" and len(self.items) == 1 and not self.commas:
            return self.items[0]  # brackets around a value, no tuple
        return self.items


class _Reader:
    """One pass over one text; its stack is a list, so that depth costs no recursion."""

    def __init__(self, text: str, max_depth: int) -> None:
        self._text = text
        self._at = 0
        self._max_depth = max_depth
        self._frames: list[_Frame] = []

    def whole(self) -> Any:
        """Returns the value that the whole text is."""
        while True:
            value = self._value()
            # After a value: closers, then a comma or a colon before the next one.
            while value is not _MISSING:
                if not self._frames:
                    if self._peek():
                        raise _NoLiteral
                    return value
                self._frames[-1].add(value)
                value = self._between()

    def _peek(self) -> str:
        found = _SPACE.match(self._text, self._at)
        if found is not None:
            self._at = found.end()
        return self._text[self._at : self._at + 1]

    def _between(self) -> Any:
        """Reads on to the next value; returns the one that ends here, if one does."""
        frame = self._frames[-1]
        sign = self._peek()
        if sign == frame.closer:
            return self._close()
        self._at += 1
        if sign == ":" and frame.key is None:
            frame.begin_pair()
            return _MISSING
        # `{1: 2, 3, 4}`: a comma behind something that is not a pair.
        if sign != "," or (frame.pairs is not None and frame.items):
            raise _NoLiteral
        frame.end_item()
        # A comma before the closer adds nothing: `[1, 2,]`.
        return self._close() if self._peek() == frame.closer else _MISSING

    def _close(self) -> Any:
        frame = self._frames.pop()
        # `{1:}` has a key without a value.
        if frame.key is not None:
            raise _NoLiteral
        self._at += 1
        # In `{"a": {"b", "c"}}` a comma may stand for a colon: only a set that is the whole value is one.
        if self._frames and frame.is_set:
            raise _NoLiteral
        return frame.closed()

    def _value(self) -> Any:
        """Returns a scalar or an empty bracket; opens a bracket that holds something."""
        sign = self._peek()
        if sign in _CLOSERS:
            # Depth costs no recursion here, but code that writes or compares the value would need it.
            if len(self._frames) >= self._max_depth:
                raise _NoLiteral
            # `{{"a": 1}}` escapes its braces, as a template does: no set holds a dict or a list.
            if sign != "(" and self._frames and self._frames[-1].wants_hashable:
                raise _NoLiteral
            self._at += 1
            self._frames.append(_Frame(_CLOSERS[sign]))
            return self._close() if self._peek() == _CLOSERS[sign] else _MISSING
        string = _STRING.match(self._text, self._at)
        if string is not None:
            return self._strings(string)
        word = _WORD.match(self._text, self._at)
        if word is None or word.end() - self._at > _LONGEST_WORD:
            raise _NoLiteral
        self._at = word.end()
        return _scalar(word.group())

    def _strings(self, found: re.Match[str] | None) -> str:
        """Returns a string, joined with those on the next lines.

        Of two on one line a comma is more likely missing than one string meant.
        """
        pieces: list[str] = []
        while found is not None:
            pieces.append(_decoded(found))
            end = self._at = found.end()
            self._peek()
            found = _STRING.match(self._text, self._at)
            # `["a" "b"]` has lost a comma; `("a"\n "b")` is how Python's formatters break a long
            # string.
            if found is not None and "\n" not in self._text[end : self._at]:
                raise _NoLiteral
        return "".join(pieces)


def _decoded(found: re.Match[str]) -> str:
    body = found[found.lastgroup or "a"]
    # In `r"\d"` a backslash is a plain character.
    if "\\" in body and found["prefix"] not in {"r", "R"}:
        body = _ESCAPE.sub(_character, body)
    # Escapes may make half a surrogate pair, which UTF-8 can't carry.
    try:
        body.encode()
    except UnicodeEncodeError as error:
        raise _NoLiteral from error
    return body


def _character(escape: re.Match[str]) -> str:
    simple, octal, *codes = escape.groups()
    if simple is not None:
        return _ESCAPED[simple]
    digits = octal or next(filter(None, codes), None)
    if digits is None:
        raise _NoLiteral  # a name, or too few digits
    number = int(digits, 8 if octal else 16)
    # `\U00110000` is not a character, and `chr` would raise.
    if number > sys.maxunicode:
        raise _NoLiteral
    return chr(number)


def _scalar(word: str) -> bool | int | float | None:
    if word in _NAMES:
        return _NAMES[word]
    integer = _INTEGER.fullmatch(word)
    if integer is not None and len(word) <= (_LONGEST_WORD if integer[3] else _LONGEST_PREFIXED):
        return int(word, 0)
    if _FLOAT.fullmatch(word) is not None:
        value = float(word)
        # `1e999` is infinite, and JSON has no such number.
        if math.isfinite(value):
            return value
    raise _NoLiteral

r"""Python's literals on the wire: numbers and named values, strings, open containers.

Example: `0x1F` is 31 and `None` is null; `'a\x41'` is `aA`, `f'{x}'` is refused.
"""

from __future__ import annotations

import json
import re
import sys
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from toolgrammar.core.payloads.json.chunk_memo import ChunkMemo, in_strings
from toolgrammar.core.payloads.json.tokens import as_json
from toolgrammar.tools.json_tokens import HALVES
from toolgrammar.values.patterns import compile_pattern, late

if TYPE_CHECKING:
    from toolgrammar.core.payloads.literals.python_quotes import Quotes

encode_json: Final = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode

LONGEST_WORD: Final = 4300
"""A number of more characters is refused: CPython reads no longer integer, and reading is slow."""

NAMED_VALUES: Final[dict[str, bool | None]] = {
    "True": True,
    "False": False,
    "None": None,
    "true": True,
    "false": False,
    "null": None,
}

LIST: Final = "list"
ROUND: Final = "round"  # a tuple, or one value in parentheses
BRACE: Final = "brace"  # a dictionary or a set: its first item is not delimited yet
DICTIONARY: Final = "dictionary"
SET: Final = "set"

CONTAINER_KINDS: Final = {"[": LIST, "(": ROUND, "{": BRACE}
CLOSERS: Final = {LIST: "]", ROUND: ")", BRACE: "}", DICTIONARY: "}", SET: "}"}

_INTEGER = late(
    r"([+-]?)(?:0[xX]((?:_?[0-9a-fA-F])+)|0[oO]((?:_?[0-7])+)|0[bB]((?:_?[01])+)"
    r"|([0-9](?:_?[0-9])*))"
)
_FLOAT = late(
    r"[+-]?(?:[0-9](?:_?[0-9])*\.?|(?:[0-9](?:_?[0-9])*)?\.[0-9](?:_?[0-9])*)"
    r"(?:[eE][+-]?[0-9](?:_?[0-9])*)?"
)
# `1e`, before the `-` of `1e-5`.
_OPEN_EXPONENT = late(r"[+-]?[0-9._]+[eE]")
# In the order of the groups of `_INTEGER`.
_INTEGER_BASES = (16, 8, 2, 10)

_SIMPLE_ESCAPES: Final = {
    "\\": "\\",
    "'": "'",
    '"': '"',
    "a": "\a",
    "b": "\b",
    "f": "\f",
    "n": "\n",
    "r": "\r",
    "t": "\t",
    "v": "\v",
    "\n": "",
}
_SIMPLE_ESCAPE = late(rf"\\([{re.escape(''.join(_SIMPLE_ESCAPES))}])")
_ESCAPE = late(
    r"\\(?:([0-7]{1,3})|x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})"
    r"|U([0-9a-fA-F]{8})|(\r\n?))"
)
# At the end of the text so far: more of it could make this a whole or a longer escape.
_UNFINISHED_ESCAPE = late(
    r"\\(?:[0-7]{0,2}|x[0-9a-fA-F]?|u[0-9a-fA-F]{0,3}|U[0-9a-fA-F]{0,7}|\r)\Z"
)
_SURROGATE_PAIR = late("([\ud800-\udbff])([\udc00-\udfff])")
_SOLID = late(r"\S")


def skip_space(text: str, position: int) -> int:
    """Returns the offset of the first character from `position` on that is no white space."""
    if position < len(text) and not text[position].isspace():
        return position
    # One search, where a loop would take a step for each blank of a long run.
    solid = _SOLID.search(text, position)
    return len(text) if solid is None else solid.start()


def exponent_may_be_signed(word: str) -> bool:
    """Whether `word` stops after the `e` of a decimal number, where a sign may follow."""
    return word[-1:] in {"e", "E"} and _OPEN_EXPONENT.fullmatch(word) is not None


def read_scalar(word: str) -> tuple[str, str] | None:
    """Returns the JSON text of a number or named value and its text as a key, or None.

    Leading zeros are skipped (`month=07`); infinite and complex numbers are refused.
    """
    value: bool | int | float | None
    if word in NAMED_VALUES:
        value = NAMED_VALUES[word]
        return encode_json(value), str(value)
    try:
        integer = _INTEGER.fullmatch(word)
        if integer is not None:
            # The first group is the sign.
            kind = (integer.lastindex or 0) - 2
            digits = integer[kind + 2].replace("_", "")
            value = int(integer[1] + digits, _INTEGER_BASES[kind])
        elif _FLOAT.fullmatch(word) is not None:
            value = float(word)
        else:
            return None
        return encode_json(value), str(value)
    except ValueError:  # past the interpreter's limit of digits, or infinite
        return None


def _escaped_character(escape: re.Match[str]) -> str | None:
    """Returns what an escape by number or line end means, or None when it is past the last character."""
    octal, *hexadecimal, _line_end = escape.groups()
    if octal is not None:
        return chr(int(octal, 8))
    digits = next((group for group in hexadecimal if group is not None), None)
    if digits is None:  # backslash and line end
        return ""
    number = int(digits, 16)
    return chr(number) if number <= sys.maxunicode else None


@lru_cache(maxsize=8)
def _plain_run(quote: str, *, formatted: bool, halves: bool = True) -> re.Pattern[str]:
    """Compile the longest run of characters that stand for themselves in such a string.

    Without `halves`, it has no halves of surrogate pairs, which wait for each other.
    """
    special = quote + "\\" + ("{}" if formatted else "")
    return compile_pattern(f"[^{re.escape(special)}{'' if halves else HALVES}]+")


@lru_cache(maxsize=8)
def _pieces(quote: str, *, formatted: bool, raw: bool) -> ChunkMemo[str]:
    """Returns pieces of such a string as JSON; "" where one does more than stand for characters."""
    plain = _plain_run(quote, formatted=formatted, halves=False).pattern
    # A raw string has no escapes: only its own quote and the backslash stop it.
    if raw:
        return in_strings(plain)
    fullmatch = compile_pattern(rf"(?:{plain}+|{_SIMPLE_ESCAPE.pattern})++").fullmatch

    def as_written(piece: str) -> str:
        if not fullmatch(piece):
            return ""
        return as_json(_SIMPLE_ESCAPE.sub(lambda found: _SIMPLE_ESCAPES[found[1]], piece))[1:-1]

    return ChunkMemo(as_written)


def _join_surrogates(text: str) -> str:
    """Returns `text` with each pair of surrogates as the one character that it means."""
    return _SURROGATE_PAIR.sub(
        lambda pair: chr(0x10000 + ((ord(pair[1]) - 0xD800) << 10) + ord(pair[2]) - 0xDC00), text
    )


class PythonStringReader:
    r"""Decode one Python string literal, from its opening quote on, in any cutting.

    Line ends and control characters are data in every kind of string, as models write them. An
    unknown or misspelt escape (`\d`, `\x4`) and `\N{…}` keep their backslash.
    """

    def __init__(self, prefix: str = "") -> None:
        self._raw = "r" in prefix
        self._formatted = "f" in prefix
        self._quote = ""  # one or three quotes, "" until they have been told apart
        self._held = ""  # consumed, but its meaning depends on what follows
        self._high = ""  # a high surrogate, decoded, whose partner may follow
        self._run = _plain_run("'", formatted=False)
        self.before = ""
        """The character before what is read, where that is not known from the text."""
        self.closed = False
        self.failure = ""
        self.quotes: Quotes | None = None
        """What tells quotes apart that are not escaped; without it, the first one closes."""
        self.is_markdown = False
        """Whether a backslash before an underscore means nothing."""
        self.taken: list[tuple[int, str, str]] = []
        """Where quotes stand that are a part of the string, and backslashes that are none: what it
        is, and the character before it."""
        self.waits = False
        """Whether what follows the quote at the offset that was given has to tell."""

    def judge_quotes(self, quotes: Quotes, *, is_markdown: bool) -> None:
        """Lets what follows a quote judge whether it ends the string."""
        self.quotes, self.is_markdown = quotes, is_markdown

    def stand_behind(self, last: str) -> None:
        """Notes the character before what is read next."""
        self.before = last

    def stop_waiting(self, last: str) -> None:
        """Goes back before the quote that waited."""
        self.waits, self.before = False, last

    def feed(self, text: str, position: int) -> tuple[str, int]:
        """Returns the decoded characters and the offset of the first character not consumed."""
        shift = 0
        if self._held:
            # What was held is read again with what follows, so offsets begin before this chunk.
            shift = position - len(self._held)
            text, position = self._held + text[position:], 0
            self._held = ""
        pieces: list[str] = [self._high]
        if not self._quote:
            position = self._open(text, position)
        while position < len(text) and not (self.closed or self.failure or self.waits):
            run = self._run.match(text, position)
            if run is not None:
                pieces.append(run[0])
                position = run.end()
            elif text[position] == "\\":
                position = self._read_backslash(text, position, pieces, shift)
            elif text[position] == self._quote[0]:
                position = self._read_quote(text, position, pieces, shift)
            else:
                position = self._read_brace(text, position, pieces)
        return self._joined(pieces), position + shift

    def run_on(self) -> ChunkMemo[str] | None:
        """Returns texts as JSON that mean themselves and end nothing; None where more is open."""
        if self.closed or self.failure or self._held or self._high or not self._quote:
            return None
        return _pieces(self._quote[0], formatted=self._formatted, raw=self._raw)

    def _joined(self, pieces: list[str]) -> str:
        """Returns the decoded pieces as one text, keeping back half of a surrogate pair."""
        decoded = "".join(pieces)
        self._high = ""
        # Nearly all text is, and has no halves of pairs to look for.
        if decoded.isascii():
            return decoded
        decoded = _join_surrogates(decoded)
        # `\ud83d` may be followed by `\ude00`: together they are one character.
        if not self.closed and "\ud800" <= decoded[-1] <= "\udbff":
            self._high = decoded[-1]
            return decoded[:-1]
        return decoded

    def _hold(self, text: str, position: int) -> int:
        self._held = text[position:]
        return len(text)

    def _open(self, text: str, position: int) -> int:
        """Tell one opening quote from three, and from an empty string."""
        opening = text[position : position + 3]
        quote = opening[0]
        # `''` may become `'''`.
        if len(opening) < 3 and opening == quote * len(opening):
            return self._hold(text, position)
        self._quote = quote * 3 if opening == quote * 3 else quote
        self._run = _plain_run(quote, formatted=self._formatted)
        # `''` and something else: an empty string.
        if opening[1] == quote and len(self._quote) == 1:
            self.closed = True
            return position + 2
        return position + len(self._quote)

    def _read_quote(self, text: str, position: int, pieces: list[str], shift: int) -> int:
        if text.startswith(self._quote, position):
            closes: bool | None = True
            before = text[position - 1] if position else self.before
            # Three quotes are not judged: hardly a text holds them.
            if self.quotes is not None and len(self._quote) == 1:
                closes = self.quotes.close(text, position + 1, before)
            self.waits, self.closed = closes is None, closes is True
            if closes is not False:
                return position if self.waits else position + len(self._quote)
            assert self.quotes is not None
            self.quotes.keep()
            self.taken.append((position + shift, text[position], before))
        if self._quote.startswith(text[position : position + 3]):
            return self._hold(text, position)  # the text ends: the other quotes may follow
        pieces.append(self._quote[0])
        return position + 1

    def _read_backslash(self, text: str, position: int, pieces: list[str], shift: int) -> int:
        # `get\_user`: where names are written so, strings are too.
        if self.is_markdown and text.startswith("_", position + 1):
            self.taken.append((position + shift, "\\", ""))
            return position + 1
        if self._raw:
            if position + 1 == len(text):
                return self._hold(text, position)
            # In a raw string a backslash keeps a quote from closing, and both are data.
            length = 2 if text[position + 1] in {"\\", self._quote[0]} else 1
            pieces.append(text[position : position + length])
            return position + length
        simple = _SIMPLE_ESCAPES.get(text[position + 1 : position + 2])
        if simple is not None:
            pieces.append(simple)
            return position + 2
        if _UNFINISHED_ESCAPE.match(text, position) is not None:
            return self._hold(text, position)
        escape = _ESCAPE.match(text, position)
        character = None if escape is None else _escaped_character(escape)
        # `\d` or `\x4`: the backslash stays, as in Python.
        if escape is None or character is None:
            pieces.append("\\")
            return position + 1
        pieces.append(character)
        return escape.end()

    def _read_brace(self, text: str, position: int, pieces: list[str]) -> int:
        """Read a doubled brace of an f-string; a single one would hold an expression."""
        if position + 1 == len(text):
            return self._hold(text, position)
        # `{{` stands for one brace.
        if text[position + 1] == text[position]:
            pieces.append(text[position])
            return position + 2
        self.failure = "Found a placeholder in an f-string; arguments are literals"
        return position + 1


class OpenContainer:
    """One open bracket and what has been read of it."""

    __slots__ = ("commas", "keyed", "kind", "opened_at", "whole_until")

    def __init__(self, kind: str, opened_at: int) -> None:
        self.kind = kind
        self.opened_at = opened_at  # where its opener stands among the pieces
        self.whole_until = opened_at + 1  # the pieces up to there hold whole items only
        self.commas = 0
        self.keyed = False  # in a dictionary: a key and its colon have been read

    def read_key(self) -> None:
        """Notes a key and its colon: it is a dictionary."""
        self.kind, self.keyed = DICTIONARY, True

    def separate(self, pieces: int) -> None:
        """Notes a comma behind so many pieces."""
        # `{1, `: a comma before any colon makes it a set.
        if self.kind == BRACE:
            self.kind = SET
        self.keyed = False
        self.commas += 1
        self.whole_until = pieces

    @property
    def at_key(self) -> bool:
        """Whether what is being read is, or may turn out to be, a key."""
        return self.kind == BRACE or (self.kind == DICTIONARY and not self.keyed)

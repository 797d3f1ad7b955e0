"""What the values in an object with bare words mean: words, numbers, and the escapes of strings."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from toolgrammar.core.json_tokens import MAX_DIGITS, as_json
from toolgrammar.values.patterns import compile_pattern, late

if TYPE_CHECKING:
    from collections.abc import Collection

_NUMBER = late(r"(-?)(0|[1-9][0-9]*)?(\.[0-9]*)?([eE][+-]?[0-9]+)?")
_ESCAPE = late(
    r"\\(?:u\{(?P<point>[0-9a-fA-F]{1,6})\}|u(?P<unit>[0-9a-fA-F]{4})|x(?P<byte>[0-9a-fA-F]{2})"
    r"|(?P<one>\r\n|[\s\S]))"
)
_ESCAPE_BEGUN = late(r"\\(?:u(?:\{[0-9a-fA-F]{0,6}|[0-9a-fA-F]{0,3})|x[0-9a-fA-F]?|\r)?\Z")
_ESCAPED = {
    "n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v", "0": "\0",
    "\n": "", "\r": "", "\r\n": "", "\u2028": "", "\u2029": "",
}  # fmt: skip
_LAST_CHARACTER: Final = 0x10FFFF

TEMPLATE: Final = "`"
"""The quote of strings with gaps, `${…}`, for expressions."""


def opened_quote(text: str, at: int, quotes: Collection[str]) -> str | None:
    """Gives the quote that stands at an index; empty where none does, None where one may."""
    left = len(text) - at
    for quote in quotes:
        if text.startswith(quote, at):
            return quote
    may = any(len(quote) > left and text.endswith(quote[:left]) for quote in quotes)
    return None if may else ""


def string_runs(quote: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Gives what finds a part of a string that can't end it, and one that JSON writes the same."""
    other = re.escape(quote)
    same = rf'(?:[^"\\\x00-\x1f{other}]++|\\[nrtbf"\\])+'
    return compile_pattern(rf"[^{other}\\]+"), compile_pattern(same)


def word_as_json(word: str) -> str:
    """Gives the JSON text of a bare word."""
    if word in ("true", "false", "null"):
        return word
    match = _NUMBER.fullmatch(word)
    if match and len(word) <= MAX_DIGITS:
        sign, whole, fraction, power = match.groups()
        if whole is not None or (fraction is not None and len(fraction) > 1):
            fraction = f"{fraction}0" if fraction == "." else fraction
            return f"{sign}{whole or '0'}{fraction or ''}{power or ''}"
    return as_json(word)


def read_escape(text: str, at: int, sink: list[str]) -> int:
    """Adds what an escape means, as JSON in a string; gives its end, or its place if it is cut."""
    if _ESCAPE_BEGUN.match(text, at):
        return at
    written, end = _escape_as_json(text, at)
    sink.append(written)
    return end


def _escape_as_json(text: str, at: int) -> tuple[str, int]:
    """Gives what a whole escape means, as JSON in a string, and its end."""
    match = _ESCAPE.match(text, at)
    assert match is not None
    one = match["one"]
    if one is not None:
        return as_json(_ESCAPED.get(one, one))[1:-1], match.end()
    code = int(match["point"] or match["unit"] or match["byte"], 16)
    if match["unit"]:
        return f"\\u{code:04x}", match.end()  # half a pair waits for nothing: its escape is whole
    return as_json(chr(min(code, _LAST_CHARACTER)))[1:-1], match.end()


def begun_quote(text: str, at: int, quote: str) -> int:
    """Gives how long the tail of a text is that may become a quote."""
    for length in range(min(len(quote) - 1, len(text) - at), 0, -1):
        if text.endswith(quote[:length]):
            return length
    return 0

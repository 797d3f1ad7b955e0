r"""What the values in an object with bare words mean: words, numbers, and the escapes of strings.

Example: in `{a: 5., b: New York, c: 'it\'s'}` the values are `5.0`, `"New York"` and `"it's"`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from toolgrammar.core.payloads.json.other_scalars import decimal
from toolgrammar.core.payloads.json.tokens import as_json
from toolgrammar.patterns.damaged_marks import distance, marks_of
from toolgrammar.tools.json_tokens import MAX_DIGITS, PLAIN
from toolgrammar.values.patterns import compile_pattern, late

if TYPE_CHECKING:
    from collections.abc import Collection

_ESCAPE = late(
    r"\\(?:u\{(?P<point>[0-9a-fA-F]{1,6})\}|u(?P<unit>[0-9a-fA-F]{4})|x(?P<byte>[0-9a-fA-F]{2})"
    r"|(?P<one>\r\n|[\s\S]))"
)
_ESCAPE_BEGUN = late(r"\\(?:u(?:\{[0-9a-fA-F]{0,6}|[0-9a-fA-F]{0,3})|x[0-9a-fA-F]?|\r)?\Z")
_ESCAPED = {
    "n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v", "0": "\0",
    "\n": "", "\r": "", "\r\n": "", "\u2028": "", "\u2029": "",  # the next line goes on
}  # fmt: skip
_PRINTED: Final = frozenset("\u201c\u201d\u201e\u201f\u00ab\u00bb\u2018\u201a\uff02")
"""Quotes that no format has; the apostrophe of a plural is none of them."""
_SHORT: Final = 3
"""Characters of a quote that is known even where it is damaged: more than these."""
_LAST_CHARACTER: Final = 0x10FFFF

TEMPLATE: Final = "`"
"""The quote of strings with gaps, `${…}`, for expressions."""


def opened_quote(text: str, at: int, quotes: Collection[str]) -> str | None:
    """Returns the quote that stands at an index; empty where none does, None where one may."""
    left = len(text) - at
    for quote in quotes:
        if text.startswith(quote, at):
            return quote
    # `<|` at the end of a chunk may become `<|"|>`.
    may = any(len(quote) > left and text.endswith(quote[:left]) for quote in quotes)
    return None if may else ""


def may_be_quoted(word: str, quotes: Collection[str]) -> bool:
    """Whether a bare word may have been a string: a quote ends it, or stands damaged at an edge.

    A quote as books print it counts too: a word may have two.
    """
    if word[:1] in _PRINTED or word[-1:] in _PRINTED:
        return word != ""
    for quote in quotes:
        size = len(quote)
        if word.endswith(quote) or (size > 1 and quote in word):
            return True
        # At either edge one character of the quote may be missing.
        edges = (word[:size], word[: size - 1], word[1 - size :]) if size > _SHORT else ()
        if any(distance(quote, each) <= size // 4 for each in edges) or holds_quote(word, quote):
            return True
    return False


def holds_quote(text: str, quote: str) -> bool:
    """Whether a quote of several characters stands damaged in a text, or the first one at its end."""
    if len(quote) <= _SHORT:
        return False
    if text.endswith(quote[0]) or quote[:-1] in text:
        return True
    return marks_of((quote,)).find(text, pairs=False) is not None


def of_quote(text: str, quote: str, *, begun: bool) -> list[str]:
    """Returns what of a piece of a string may hold a damaged quote: from its first character on.

    Args:
        text: the piece.
        quote: the quote.
        begun: whether that stood in a piece before.
    """
    first = 0 if begun else text.find(quote[0])
    return [text[first:]] if first >= 0 else []


def string_runs(quote: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Returns what finds a part of a string that can't end it, and one that JSON writes the same."""
    other = re.escape(quote)
    # What JSON spells alike is passed on as it stands.
    same = rf'(?:[^{PLAIN}{other}]++|\\[nrtbf"\\])+'
    return compile_pattern(rf"[^{other}\\]+"), compile_pattern(same)


def word_as_json(word: str) -> str:
    """Returns the JSON text of a bare word."""
    if word in ("true", "false", "null"):
        return word
    # `+5` is no number here.
    is_short = len(word) <= MAX_DIGITS and not word.startswith("+")
    return (decimal(word) if is_short else None) or as_json(word)


def read_escape(text: str, at: int, sink: list[str]) -> int:
    """Adds what an escape means, as JSON in a string; gives its end, or its place if it is cut."""
    if _ESCAPE_BEGUN.match(text, at):
        return at
    written, end = _escape_as_json(text, at)
    sink.append(written)
    return end


def _escape_as_json(text: str, at: int) -> tuple[str, int]:
    """Returns what a whole escape means, as JSON in a string, and its end."""
    match = _ESCAPE.match(text, at)
    assert match is not None
    one = match["one"]
    if one is not None:
        # `\q` is `q`, as in JavaScript.
        return as_json(_ESCAPED.get(one, one))[1:-1], match.end()
    code = int(match["point"] or match["unit"] or match["byte"], 16)
    if match["unit"]:
        return f"\\u{code:04x}", match.end()  # half a pair waits for nothing: its escape is whole
    # `\u{FFFFFF}` is past the last character.
    return as_json(chr(min(code, _LAST_CHARACTER)))[1:-1], match.end()

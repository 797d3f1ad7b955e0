r"""Defines the tokens of strict JSON as patterns, for text that may be cut anywhere.

They are built from `tools/json_tokens.py`. Example: `string_run` matches `C:\\d` of `C:\\d\u00`
and leaves the incomplete escape to `unit_begun`. Most chunks of a stream only continue a string: they
have patterns of their own.
"""

from __future__ import annotations

import json
from json.encoder import encode_basestring, encode_basestring_ascii
from typing import Final

from toolgrammar.tools.json_tokens import (
    CONTROLS,
    HALVES,
    HEX,
    HIGH_HALF,
    LITERAL,
    LOW_BEGUN,
    NUMBER,
    PLAIN,
    SPACE,
    UNIT,
)
from toolgrammar.values.patterns import anywhere, late

MAX_DEPTH: Final = 200
"""How deep brackets may nest by default."""
TOO_DEEP: Final = "Found brackets that nest deeper than `max_depth` allows"
"""The reason why a payload that nests too deep can't be read."""

space_run = anywhere(SPACE)
digit_run = anywhere(r"[0-9]*+")
unit_run = anywhere(rf"(?:{UNIT})*+")
# An escape that the end of a chunk cut: `\`, `\u00`, or `\ud83d\u`, whose low half is to come.
unit_begun = anywhere(rf"(?:\\(?:u(?:{HIGH_HALF}{LOW_BEGUN}|{HEX}{{0,4}}))?)?")
# Runs between escapes: an alternation, `(?:…|…)*+`, takes a fifth longer.
string_run = anywhere(rf"[^{PLAIN}]*+(?:{UNIT}[^{PLAIN}]*+)*+")
backtick_run = anywhere(r"[^`\\]*+")

# Only if its delimiter has arrived: `12` at the end of a chunk may become `123`.
plain_scalar = late(rf"(?:{NUMBER}|{LITERAL})(?=[ \t\n\r,\]}}])")
DELIMITERS: Final = " \t\n\r,]}"
# No comma or bracket ends a root number or literal: it ends where no word continues.
word_character = late(r"[\w.+-]")


def as_json(text: str) -> str:
    r"""Returns a text as a JSON string, in quotes; characters beyond ASCII are not escaped.

    Of `é "a"` it makes `"é \"a\""`.
    """
    # CPython encodes pure ASCII in half the time with the function that would escape all others,
    # and DEL.
    if text.isascii() and "\x7f" not in text:
        return encode_basestring_ascii(text)
    return encode_basestring(text)


def shown(character: str) -> str:
    """Returns a character as messages show it: an invisible one as its escape."""
    return character if character.isprintable() else ascii(character)[1:-1]


def text_of(body: str) -> str:
    """Returns the text of a JSON string, given the characters between its quotes."""
    if "\\" not in body:
        return body
    try:
        # Not strict: a string that contains a raw tab is still a string.
        text: str = json.loads(f'"{body}"', strict=False)
    except ValueError:
        # `C:\dir` is not JSON, since `\d` is not an escape: the text is kept as it was written.
        return body
    return text


def decoded_token(text: str) -> str:
    """Returns the value of a token: the content of a JSON string, any other text unchanged."""
    is_string = len(text) >= 2 and text[0] == text[-1] == '"'
    return text_of(text[1:-1]) if is_string else text


TAG: Final = r"<(?=[^/|\uff5c])"
"""The beginning of markup that does not close a call, as `</tool_call>` and `<|call|>` may."""
# A quote may be missing: in `{"a": "x, "b": 1}` the string ends before the comma, in `{"a": "x}`
# before the bracket, if markup follows, or before that markup. So these are not plain characters.
CHARACTERS: Final = rf"[^{PLAIN},}}\]<{HALVES}]*+"
"""Characters of a string that neither end it nor may end it."""

_INNER_COMMA: Final = r",(?! *[,'\\])"
"""A comma that no key in single quotes follows."""
# A piece may not end with a comma or a bracket: the next character decides what it is.
inside_string = late(rf"(?:[^{PLAIN},{HALVES}]|{_INNER_COMMA})*[^{PLAIN}{HALVES}, ] *")
"""A piece of a string that proves that the string did not end before the end of the piece."""
# `${name} is` continues as text; `}` before `<`, before a quote of a key or at the end does not.
BRACKETS: Final = rf"""[}}\]]++(?= *[\w.;()=+\\"':/*&!?%$^~-]|, *[^ ,"'\\{{{CONTROLS}])"""
"""Closing brackets before which a string can't have ended: neither markup nor a key follows."""
inside_framed = late(
    rf"(?:[^{PLAIN},}}\]<{HALVES}]|{_INNER_COMMA}|{BRACKETS}|{TAG})*"
    rf"[^{PLAIN}}}\]<{HALVES}, ] *"
)
"""Like `inside_string`, inside markup: the string may have ended before a tag or a bracket."""

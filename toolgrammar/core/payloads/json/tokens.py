r"""The tokens of strict JSON as patterns, for text that may be cut anywhere.

They are spelled in `tools/json_tokens.py`. Example: `string_run` matches `C:\\d` of `C:\\d\u00`
and leaves the begun escape to `unit_begun`.
"""

from __future__ import annotations

import json
from json.encoder import encode_basestring
from typing import Final

from toolgrammar.tools.json_tokens import (
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
"""How deep brackets may nest, unless the caller says otherwise."""


class TooDeep(str):
    """Why a payload can't be read, where it is for its depth: of other reasons only words differ."""

    __slots__ = ()


space_run = anywhere(SPACE)
digit_run = anywhere(r"[0-9]*+")
unit_run = anywhere(rf"(?:{UNIT})*+")
# An escape that the end of a chunk cut: `\`, `\u00`, or `\ud83d\u`, whose low half is to come.
unit_begun = anywhere(rf"(?:\\(?:u(?:{HIGH_HALF}{LOW_BEGUN}|{HEX}{{0,4}}))?)?")
string_run = anywhere(rf"(?:[^{PLAIN}]++|{UNIT})*+")
backtick_run = anywhere(r"[^`\\]*+")

# Only with its delimiter in sight: `12` at the end of a chunk may become `123`.
plain_scalar = late(rf"(?:{NUMBER}|{LITERAL})(?=[ \t\n\r,\]}}])")
DELIMITERS: Final = " \t\n\r,]}"
# A root number or literal has no comma or bracket to end it: it ends where no word goes on.
word_character = late(r"[\w.+-]")
as_json: Final = encode_basestring
"""Writes a text as JSON, its characters as they are."""


def shown(character: str) -> str:
    """Returns a character as a message shows it: an invisible one as its escape."""
    return character if character.isprintable() else ascii(character)[1:-1]


def text_of(body: str) -> str:
    """Returns the text that stands, written as in JSON, between two quotes."""
    if "\\" not in body:
        return body
    try:
        # Not strict: a string with a raw tab in it is still a string.
        text: str = json.loads(f'"{body}"', strict=False)
    except ValueError:
        # `C:\dir` is no JSON, since `\d` is no escape: it is what was meant.
        return body
    return text


def decoded_token(text: str) -> str:
    """Returns the value of a token: of a JSON string its content, else the text as it stands."""
    is_string = len(text) >= 2 and text[0] == text[-1] == '"'
    return text_of(text[1:-1]) if is_string else text

"""The tokens of strict JSON (RFC 8259) as patterns and tables, for text that may be cut anywhere."""

from __future__ import annotations

from json.encoder import encode_basestring
from typing import Final

from toolgrammar.values.patterns import anywhere, late

MAX_DEPTH: Final = 200
"""How deep brackets may nest, unless the caller says otherwise."""

MAX_DIGITS: Final = 4300
"""CPython refuses to read a longer integer (`sys.int_info.default_max_str_digits`)."""

SPACES: Final = " \t\n\r"
space_run = anywhere(r"[ \t\n\r]*+")
digit_run = anywhere(r"[0-9]*+")

_LOW = r"\\u[dD][c-fC-F][0-9a-fA-F]{2}"
_LOW_BEGUN = r"(?:\\(?:u(?:[dD](?:[c-fC-F][0-9a-fA-F]?)?)?)?)?"
# One whole escape. A high surrogate is whole with its low half, or where none can follow it.
_UNIT = (
    r'\\(?:["\\/bfnrt]|u(?:(?![dD][89abAB])[0-9a-fA-F]{4}'
    rf"|[dD][89abAB][0-9a-fA-F]{{2}}(?:{_LOW}|(?!{_LOW_BEGUN}\Z))))"
)
unit = late(_UNIT)
unit_run = anywhere(rf"(?:{_UNIT})*+")
unit_begun = anywhere(
    rf"(?:\\(?:u(?:[dD][89abAB][0-9a-fA-F]{{2}}{_LOW_BEGUN}|[0-9a-fA-F]{{0,4}}))?)?"
)
LONGEST_UNIT: Final = 12
string_run = anywhere(rf'(?:[^"\\\x00-\x1f]++|{_UNIT})*+')
inside_string = late(r'[^"\\\x00-\x1f]+')
backtick_run = anywhere(r"[^`\\]*+")

plain_scalar = late(
    r"(?:-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?+(?:[eE][+-]?[0-9]++)?+|true|false|null)(?=[ \t\n\r,\]}])"
)
DELIMITERS: Final = " \t\n\r,]}"
# A root number or literal has no comma or bracket to end it: it ends where no word goes on.
word_character = late(r"[\w.+-]")
as_json: Final = encode_basestring
"""Writes a text as JSON, its characters as they are."""


def shown(character: str) -> str:
    """Give a character as a message shows it: one that nobody sees as its escape."""
    return character if character.isprintable() else ascii(character)[1:-1]

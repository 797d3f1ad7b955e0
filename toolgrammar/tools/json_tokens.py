"""Defines the tokens of JSON (RFC 8259), from which all readers build their expressions.

Example: `NUMBER` matches `-0`, `12.5` and `1e9`, not `01`, `.5` or `+1`. A quantifier with `+` behind
it gives nothing back, so that each expression takes time in proportion to what it matches. Only
`OTHER_COLONS`, `OTHER_COMMAS` and `SMART_QUOTES` are not JSON: they list what models write instead.
"""

from __future__ import annotations

from typing import Final

SPACES: Final = " \t\n\r"
SPACE: Final = r"[ \t\n\r]*+"

# Numbers and literals

WHOLE: Final = "0|[1-9][0-9]*+"
INTEGER: Final = rf"-?(?:{WHOLE})"
NUMBER: Final = rf"{INTEGER}(?:\.[0-9]++)?+(?:[eE][+-]?[0-9]++)?+"
SHORT_NUMBER: Final = r"-?(?:0|[1-9][0-9]{0,63}+)(?:\.[0-9]{1,63}+)?+(?:[eE][+-]?[0-9]{1,2}+)?+"
"""A number that a float can represent, so that it needs no limit; shortcuts don't read longer ones."""
LITERAL: Final = "true|false|null"
SCALAR_BEGUN: Final = (
    r"t(?:r(?:ue?)?)?|f(?:a(?:l(?:se?)?)?)?|n(?:u(?:ll?)?)?"
    r"|-?(?:(?:0|[1-9][0-9]*+)(?:\.[0-9]*+)?+(?:(?<!\.)[eE][+-]?[0-9]*+)?+)?+"
)
"""The longest beginning of a literal or a number that stands at a place, whole ones too."""
MAX_DIGITS: Final = 4300
"""CPython reads no longer integer (`sys.int_info.default_max_str_digits`); with a bound of our own
its settings don't change a result."""

# Colons

OTHER_COLONS: Final = {"=>": "colon", "=": "colon", "\uff1a": "colon"}
"""Replacements of the colon after a key that models write, the longest first, with their repair's code.

A stream waits for the rest of a longer one only where its first character is one, too, as `=` is.
What begins with a colon is read by `read_colon` in `core/payloads/mended/structure.py`.
"""
OTHER_COLON: Final = "|".join(OTHER_COLONS)
COLONS: Final = ":=\uff1a"
"""The characters with which a colon, or what stands for one, begins: `\uff1a` is that of Chinese."""

# Commas

COMMAS: Final = ",;\uff0c"
"""The comma, and the characters that models write for it: `\uff0c` is that of Chinese."""
OTHER_COMMAS: Final = frozenset(COMMAS) - {","}

# Strings

SMART_QUOTES: Final = "\u201c\u201d\u201e"
"""The typographic quotes that models write for the quotes of a string."""
CONTROLS: Final = r"\x00-\x1f"
"""The characters that a string may contain only as an escape, for a set of characters."""
HALVES: Final = r"\ud800-\udfff"
"""Halves of surrogate pairs, which are no characters, for a set of characters."""
PLAIN: Final = rf'"\\{CONTROLS}'
"""The characters that a string can't contain unescaped, for a set of characters."""
ESCAPED: Final = '"\\/bfnrt'
"""The characters after the backslash of a short escape."""
CONTROL_ESCAPES: Final = "bfnrt"
"""The letters of escapes that stand for a control character."""
HEX: Final = r"[0-9a-fA-F]"
UNICODE: Final = rf"u{HEX}{{4}}"
LOW_DIGITS: Final = rf"[dD][c-fC-F]{HEX}{{2}}"
LOW_HALF: Final = rf"\\u{LOW_DIGITS}"
HIGH_HALF: Final = rf"[dD][89abAB]{HEX}{{2}}"
"""Behind `\\u`."""
ANY_HALF: Final = rf"\\u[dD][89a-fA-F]{HEX}{{2}}"
LOW_BEGUN: Final = rf"(?:\\(?:u(?:[dD](?:[c-fC-F]{HEX}?)?)?)?)?"
"""The beginnings of a low surrogate at the end of a text."""
SHORT_ESCAPE: Final = r'\\["\\/bfnrt]'
# `\ud83d` alone is half a character: it is valid only with the `\ude00` after it.
ONE_ESCAPE: Final = rf'\\(?:["\\/bfnrt]|u(?![dD][89a-fA-F]){HEX}{{4}})'
"""An escape of one character."""
ESCAPE: Final = rf"(?:{ONE_ESCAPE}|\\u{HIGH_HALF}{LOW_HALF})"
"""An escape; of a pair both halves."""
UNIT: Final = (
    r'\\(?:["\\/bfnrt]|u(?:(?![dD][89abAB])'
    rf"{HEX}{{4}}|{HIGH_HALF}(?:{LOW_HALF}|(?!{LOW_BEGUN}\Z))))"
)
"""An escape, or half a pair that is known to be alone: RFC 8259 takes it, and so does `json`."""
ESCAPE_BEGUN: Final = rf"\\(?:u(?:{HEX}{{0,3}}|{HIGH_HALF}(?:\\(?:u{HEX}{{0,3}})?)?)?)?"
"""The beginnings of an escape at the end of a text."""

"""Patterns of whole members and items that are strict, with what must follow them.

The recovering scanner reads most text with these at once. Each takes only what the scanner would
take one token after the other, so that they change the speed alone. The large ones are made where
they are first used.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final

from toolgrammar.values.patterns import compile_pattern, late

if TYPE_CHECKING:
    import re

_SURROGATES: Final = "\ud800-\udfff"
UNIT: Final = (
    r'\\(?:["\\/bfnrt]|u(?![dD][89a-fA-F])[0-9a-fA-F]{4}'
    r"|u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2})"
)
"""A whole escape; a high surrogate with its low half."""
CHARACTERS: Final = '[^"\\\\\x00-\x1f,}\\]\ud800-\udfff]*+'
"""Characters of a string that neither end it nor may end it."""
_WS: Final = r"[ \t\n\r]*+"
_PLAIN: Final = '[^"\\\\\\x00-\\x1f,\ud800-\udfff]'
_BODY: Final = rf"""{_PLAIN}*+(?:,(?!{_WS}["'])_PLAIN*+)*+""".replace("_PLAIN", _PLAIN)
_KEY: Final = '[^"\\\\\\x00-\\x1f\ud800-\udfff]{1,64}+'
_SCALAR: Final = (
    r"(?:true|false|null|-?(?:0|[1-9][0-9]{0,63}+)(?:\.[0-9]{1,63}+)?+(?:[eE][+-]?[0-9]{1,3}+)?+)"
)
_PAIR: Final = rf'"{_KEY}"{_WS}:{_WS}'
_NEXT_KEY: Final = rf',{_WS}(?="{_KEY}"{_WS}:)'

_INNER_COMMA: Final = r",(?! *[,'\\])"
"""A comma behind which no key stands in single quotes."""
inside_string = late(
    rf'(?:[^"\\\x00-\x1f,{_SURROGATES}]|{_INNER_COMMA})*[^"\\\x00-\x1f{_SURROGATES}, ] *'
)
"""A piece of a string after which the string can't have ended before."""
BRACKETS: Final = r"""[}\]]++(?= *[\w.;()=+\\"':/*&!?%$^~-]|, *[^ ,"'\\{\x00-\x1f])"""
"""Closing brackets in a string before which it can't have ended: neither markup nor a key follows."""
inside_framed = late(
    rf'(?:[^"\\\x00-\x1f,}}\]{_SURROGATES}]|{_INNER_COMMA}|{BRACKETS})*'
    rf'[^"\\\x00-\x1f}}\]{_SURROGATES}, ] *'
)
"""The same where markup stands around the value: the string may have ended before a bracket."""


@cache
def member() -> re.Pattern[str]:
    """Matches a member with a plain value, and the comma after it (2); another key (1) follows."""
    return compile_pattern(rf'"({_KEY})"{_WS}:{_WS}(?:{_SCALAR}{_WS}|"{_BODY}"{_WS})({_NEXT_KEY})')


_OTHER_KEY: Final = "[^\"'\\\\\\x00-\\x1f\ud800-\udfff]{1,64}+"
_BARE: Final = r"[^\W\d][\w$\-]{0,63}+"
_OTHER_PLAIN: Final = "[^\"'\\\\\\x00-\\x1f,\ud800-\udfff]"
_OTHER_BODY: Final = rf"""{_OTHER_PLAIN}*+(?:,(?!{_WS}["']){_OTHER_PLAIN}*+)*+"""
_ANY_NEXT: Final = (
    rf"""(?:"{_OTHER_KEY}"{_WS}:|'{_OTHER_KEY}'{_WS}:|{_BARE}[ \t]*+:{_WS}["'{{\[0-9-])"""
)


@cache
def damaged_member() -> re.Pattern[str]:
    """Matches a member with a plain value; key and value may be written otherwise than in JSON.

    A key in double quotes (1), single quotes (2) or none (3), the colon (4); a scalar (5), a
    literal (6), a string in double quotes with them (7) or in single quotes without (8); the comma
    (9) before another key, or the end of the object, or no comma where one should be (10).
    """
    return compile_pattern(
        rf"""(?:"({_KEY})"{_WS}|'({_OTHER_KEY})'{_WS}|({_BARE})[ \t]*+)(:{_WS})"""
        rf"""(?:({_SCALAR})|(True|False|None|TRUE|FALSE|NULL|Null)\b|("{_BODY}")|'({_OTHER_BODY})')"""
        rf"""(?:{_WS}(,{_WS})(?={_ANY_NEXT})|{_WS}(?=,?{_WS}\}})|({_WS})(?="{_OTHER_KEY}"{_WS}:))"""
    )


_INNER: Final = rf"{_PAIR}(?:{_SCALAR}{_WS}|\"{_BODY}\"{_WS})"


@cache
def item() -> re.Pattern[str]:
    """Matches a scalar or a flat object, and the comma after it (1); another item follows."""
    return compile_pattern(
        rf'(?:\{{{_WS}(?:{_INNER}{_NEXT_KEY})*+{_INNER}\}}{_WS}|{_SCALAR}{_WS}|"{_BODY}"{_WS})'
        rf'(,{_WS}(?=["{{\[]|-?[0-9]))'
    )


# Behind a string value: what shows without a longer look that the string has ended.
_ANY_KEY: Final = r"""(["'])([^"'\\\n\r]{1,64}+)\1[ \t\n\r]*+:"""
next_key = late(rf"{_WS},{_WS}{_ANY_KEY}")
"""A comma and a key (2) in straight quotes."""
next_item = late(rf"""(?:{_WS},{_WS}|[ \t\n\r]++)["'{{\[]""")
"""A comma, or white space where one is missing, and the begin of an item."""
end_and_item = late(rf"""{_WS}(?:,{_WS})?\}}{_WS}(?:,{_WS})?["'{{\[]""")
"""The end of an object in an array and the begin of an item; the commas may be where they are."""

word = late(r"([\w.+\-]{1,64}+)(?=[,}\]\n\r])")
"""A word, and what ends it in any case."""
bare_key = late(rf"([^\W\d][\w$\-]{{0,63}}+)[ \t]*+:{_WS}")
"""A key without quotes and its colon."""
other_key = late(rf"'([^\"'\\\\\x00-\x1f\ud800-\udfff]{{0,64}}+)'{_WS}:{_WS}")
"""A key in single quotes and its colon."""
plain_strings: Final = {
    '"': late(rf'"{_BODY}"'),
    "'": late(
        rf"""'[^"',\\\x00-\x1f\ud800-\udfff]*+(?:,(?!{_WS}["'])[^"',\\\x00-\x1f\ud800-\udfff]*+)*+'"""
    ),
}
"""By its quote, a string with nothing in it that needs a closer look."""

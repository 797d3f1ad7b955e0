r"""Finds characters without a glyph that stand beside markup: a call with one in a mark is text.

Example: `<tool\u200b_call>` looks like an opener. Emoji and scripts that join their letters with
such characters have no character of ASCII beside them, and no bar or block of a special token.
"""

from __future__ import annotations

from typing import Final

from toolgrammar.values.patterns import late

_ANY: Final = "[\u00ad\u200b-\u200f\u2060-\u2064\ufeff]"
"""Soft hyphen, spaces and joiners of no width, marks of direction, the byte order mark."""
_INVISIBLE = late(_ANY)
_OF_MARKUP: Final = "[!-~\uff5c\u2581]"
"""The visible characters of ASCII, and the bar and the block of special tokens."""
_BESIDE_MARKUP = late(rf"(?m:^){_ANY}|(?<={_OF_MARKUP}){_ANY}|{_ANY}(?={_OF_MARKUP})")
"""One that begins a line, or stands beside a character of which markup consists."""


def find_invisible(text: str) -> int:
    """Returns the index of the first such character in a text, or -1."""
    # Most texts are ASCII, and that costs next to nothing to find out.
    found = None if text.isascii() else _BESIDE_MARKUP.search(text)
    return -1 if found is None else found.start()


def without_invisible(text: str) -> str:
    """Returns a text without all characters that have no glyph."""
    return _INVISIBLE.sub("", text)

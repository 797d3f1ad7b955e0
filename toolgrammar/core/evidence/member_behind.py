"""Tells whether a member of an object stands behind the object: it was closed too early.

Example: behind `{"kind": "rye"}` the text `, "kilos": 25}` begins with the member `kilos`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from toolgrammar.values.patterns import blanks, late

if TYPE_CHECKING:
    from collections.abc import Callable

MOST: Final = 256
"""Characters behind an object that tell."""
LAST: Final = ("}", ")")
"""What arguments end with that may go on."""
_MARKS: Final = frozenset("}],\"'\u201c")
_MEMBER = late(
    r"""(?P<led>(?:[\s}\]]{0,32},)?[\s}\]]{0,32})
    (?:\Z
    |["\u201c](?:\Z|[^"\u201c\u201d\n]{1,64}(?:\Z|["\u201d]\s{0,16}(?:\Z|(?P<colon>:))))
    |'(?:\Z|[^'\n]{1,64}(?:\Z|'\s{0,16}(?:\Z|(?P<single>:))))
    |(?<=[\s}\],])(?P<word>[^\W\d]\w{0,63})(?:\Z|\s{0,16}(?:\Z|(?P<sign>:))))""",
    re.VERBOSE,
)
"""What leads to a key, the key and its colon; or the beginning of that, where the text ends."""
_STRING = late(
    r"""(?P<quote>["'])(?:[^\n]{0,128}?(?P=quote))?\s{0,16}
    (?:[}\]]|,\s{0,16}(?:(?P=quote)[^"'\n]{1,64}(?P=quote)|[^\W\d]\w{0,63})\s{0,16}:)""",
    re.VERBOSE,
)
"""The rest of a string that went on behind a quote in it, up to a bracket or the next key."""
_STRING_BEGUN = late(
    r"""(?P<quote>["'])(?:[^\n]{0,128}?(?P=quote))?\s{0,16}
    (?:\Z|,\s{0,16}(?:\Z|(?P=quote)[^"'\n]{0,64}(?:\Z|(?P=quote)\s{0,16}\Z)|[^\W\d]\w{0,63}\s{0,16}\Z))""",
    re.VERBOSE,
)
"""The beginning of that, where the text ends before the bracket or the colon."""
_KEYWORD = late(
    r"[\]})]\s{0,16}(?:\Z|,\s{0,16}(?:\Z|[^\W\d]\w{0,63}\s{0,16}(?:\Z|(?P<sign>=(?!=)))))"
)
"""A bracket, and behind it a keyword argument or its beginning."""


def may_go_on(text: str, place: int) -> bool:
    """Whether the arguments that end at a place may go on behind it.

    That is behind an object a member, or its beginning; behind a parenthesis another one.
    """
    last = text[place - 1 : place]
    if last != "}":
        return last == ")" and text[place : place + 1] == "("
    first = blanks.match(text, place).end()
    # A look at one character spares the expression behind nearly every call.
    if text[first : first + 1] not in _MARKS:
        return False
    return goes_on(text[place : place + MOST], lambda _: True, final=False) is not False


def goes_on(behind: str, awaits: Callable[[str], bool], *, final: bool) -> bool | None:
    r"""Returns whether a member begins behind an object; None where more text tells.

    >>> goes_on(', "kilos": 25}', lambda key: False, final=True)
    True
    >>> goes_on(', "k', lambda key: False, final=False)
    >>> goes_on('"\n', lambda key: False, final=False)  # a bracket may come
    >>> goes_on('}, "well", she said', lambda key: False, final=True)
    False
    >>> goes_on('" now", "kilos": 25}', lambda key: False, final=True)  # of `{"kind": "say "}" now"`
    True

    Args:
        behind: what follows the object; `MOST` characters of it count.
        awaits: whether the tool has an argument of a name that was not given yet.
        final: whether the text ends there.
    """
    if begins_in_string(behind):
        return True
    # The rest of a string ends with its line, and what follows that may stand on the next one.
    is_quote = behind.startswith(('"', "'")) and not final
    if is_quote and ("\n" not in behind or _STRING_BEGUN.match(behind)):
        return None
    match = _MEMBER.match(behind)
    if match is None:
        return False
    led = match["led"].strip()
    word = match["word"]
    # `note: …` behind a call is prose; with a delimiter before it, the tool tells.
    if word is not None:
        if not led:
            return False
        if match["sign"] is not None:
            return awaits(word)
    # A quoted word with its colon is a key; behind a call prose has `"well", she said`, without
    # one.
    elif match["colon"] is not None or match["single"] is not None:
        return True
    if not final:
        return None
    # Cut in the key: a comma and a quote end no message.
    return "," in led and match.end() > match.end("led") and word is None


def keyword_behind(text: str, place: int, *, final: bool) -> bool | None:
    """Returns whether a bracket stands at a place, and behind it another argument of a Python call.

    None where more text tells. In `[f(a=[1]], b=2)]` a bracket too many ends `a`, and `b` follows.
    """
    match = _KEYWORD.match(text, place)
    if match is None or match["sign"] is not None:
        return match is not None
    return None if match.end() == len(text) and not final else False


def stands_at(text: str, place: int, *, final: bool) -> bool | None:
    """Whether a member of any name stands at a place; None where more text tells."""
    rest = text[place : place + MOST]
    return goes_on(rest, lambda _: True, final=final or len(rest) == MOST)


def begins_in_string(text: str) -> bool:
    """Whether a text begins with the rest of a string, and what follows one in an object."""
    return text.startswith(('"', "'")) and _STRING.match(text) is not None

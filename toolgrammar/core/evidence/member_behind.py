"""Tells whether a member of an object stands behind the object: it was closed too early.

Example: behind `{"kind": "rye"}` the text `, "kilos": 25}` begins with the member `kilos`.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Final

from toolgrammar.patterns.partial import tail_that_begins
from toolgrammar.values.patterns import blanks, late

if TYPE_CHECKING:
    from collections.abc import Callable

MOST: Final = 256
"""Characters behind an object that tell."""
LAST: Final = ("}", ")")
"""What arguments end with that may go on."""
_CLOSERS: Final = "}] \t\r\n"
"""What stands behind an object where nothing follows."""
_MARKS: Final = frozenset("}],:\"'\u201c")
_MEMBER = late(
    r"""(?P<led>(?:[\s}\]]{0,32},)?[\s}\]]{0,32})
    (?:\Z
    |["\u201c](?:\Z|[^"\u201c\u201d\n]{1,64}(?:\Z|["\u201d]\s{0,16}(?:\Z|(?P<colon>:))))
    |'(?:\Z|[^'\n]{1,64}(?:\Z|'\s{0,16}(?:\Z|(?P<single>:))))
    |(?<=[\s}\],])(?P<word>[^\W\d]\w{0,63})(?:\Z|\s{0,16}(?:\Z|(?P<sign>:))))""",
    re.VERBOSE,
)
"""What leads to a key, the key and its colon; or the beginning of that, where the text ends."""
_HALF = late(r"[^\W\d][\w.$/-]{0,63}(?:\Z|:|[\"'\u201d]{1,2}(?:\s{0,16}(?:\Z|(?P<sign>[:,}\]]))))")
"""A key or a string whose first quote the bracket stands for: `{}city": "Oslo"}`, `[1, }a"]`."""
_STRING_REST: Final = "|".join(
    rf"""{quote}(?:[^\n]{{0,128}}?{quote})?\s{{0,16}}(?:[}}\]]"""
    rf"""|,\s{{0,16}}(?:{quote}[^"'\n]{{1,64}}{quote}|[^\W\d]\w{{0,63}})\s{{0,16}}:)"""
    for quote in "\"'"
)
"""The rest of a string that went on behind a quote in it, up to a bracket or the next key."""
_STRING = late(_STRING_REST)
_EARLY_BRACKET = late(
    r"[\]}]\s{0,16}(?P<closer>\))"
    r"|[\]})]\s{0,16}(?:\Z|,?\s{0,16}(?:\Z|[^\W\d]\w{0,63}\s{0,16}(?:\Z|(?P<sign>=(?!=)))))"
)
"""A bracket, and behind it a parenthesis that closes, or a keyword argument or its beginning."""


def may_go_on(text: str, place: int) -> bool:
    """Whether the arguments that end at a place may go on behind it.

    That is behind an object a member, or its beginning; behind a parenthesis another one.
    """
    last = text[place - 1 : place]
    if last != "}":
        return last == ")" and text[place : place + 1] == "("
    first = blanks.match(text, place).end()
    # A look at one character spares the expression behind nearly every call.
    if text[first : first + 1] not in _MARKS and not text[place : place + 1].isalpha():
        return False
    return goes_on(text[place : place + MOST], lambda _: True, final=False) is not False


def goes_on(
    behind: str, awaits: Callable[[str], bool], *, final: bool, is_cut: bool = False
) -> bool | None:
    r"""Returns whether a member begins behind an object; None where more text tells.

    >>> goes_on(', "kilos": 25}', lambda key: False, final=True)
    True
    >>> goes_on(', "k', lambda key: False, final=False)
    >>> goes_on('"\n', lambda key: False, final=False)  # a bracket may come
    >>> goes_on('}, "well", she said', lambda key: False, final=True)
    False
    >>> goes_on('kilos": 25}', lambda key: False, final=True)  # of `{"kilos": 25}`
    True
    >>> goes_on('" now", "kilos": 25}', lambda key: False, final=True)  # of `{"kind": "say "}" now"`
    True
    >>> goes_on(",", lambda key: False, final=True)
    False
    >>> goes_on(",", lambda key: False, final=True, is_cut=True)
    True

    Args:
        behind: what follows the object; `MOST` characters of it count.
        awaits: whether the tool has an argument of a name that was not given yet.
        final: whether the text ends there.
        is_cut: whether the server ended it: what more text might have made a member is taken for
            one then.
    """
    if final and is_cut and behind.strip(_CLOSERS):
        return goes_on(behind, awaits, final=False) is not False
    # A colon that touches the bracket has lost its key: `}:"Oslo"}`.
    if behind.startswith(":") or begins_in_string(behind):
        return True
    if half := _HALF.match(behind):
        if half["sign"] is not None or half[0].endswith(":"):
            return True
        return False if final else None
    if behind.startswith(('"', "'")) and not final and _string_begun().match(behind):
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


def stands_early(text: str, place: int, *, final: bool, is_cut: bool) -> bool | None:
    """Whether a bracket at a place comes before the rest of the Python call in front of it.

    None where more text tells. In `[f(a=[1]], b=2)]` a bracket too many ends `a`, and `b` follows. In
    `[f(a=1])]` the parenthesis of the call follows: the bracket may close a list that lost its own.
    The caller asks about calls with a name only, since no other can run. `final` and `is_cut` are those of `goes_on`.
    """
    match = _EARLY_BRACKET.match(text, place)
    if match is None or match["closer"] or match["sign"]:
        return match is not None
    if match.end() < len(text):
        return False
    return is_cut if final else None


def stands_at(text: str, place: int, *, final: bool, is_cut: bool) -> bool | None:
    """Whether a member of any name stands at a place; None where more text tells.

    `final` and `is_cut` are those of `goes_on`.
    """
    rest = text[place : place + MOST]
    return goes_on(rest, lambda _: True, final=final or len(rest) == MOST, is_cut=is_cut)


@cache
def _string_begun() -> re.Pattern[str]:
    """Returns what matches a text that may become the rest of a string; few texts ask for it."""
    return tail_that_begins([_STRING_REST])


def begins_in_string(text: str) -> bool:
    """Whether a text begins with the rest of a string, and what follows one in an object."""
    return text.startswith(('"', "'")) and _STRING.match(text) is not None

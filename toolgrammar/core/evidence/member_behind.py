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


def may_go_on(text: str, place: int) -> bool:
    """Whether an object ends at a place, and a member, or its beginning, may stand behind it."""
    if text[place - 1 : place] != "}":
        return False
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
    >>> goes_on('}, "well", she said', lambda key: False, final=True)
    False

    Args:
        behind: what follows the object; `MOST` characters of it count.
        awaits: whether the tool has an argument of a name that was not given yet.
        final: whether the text ends there.
    """
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


def stands_at(text: str, place: int, *, final: bool) -> bool | None:
    """Whether a member of any name stands at a place; None where more text tells."""
    rest = text[place : place + MOST]
    return goes_on(rest, lambda _: True, final=final or len(rest) == MOST)

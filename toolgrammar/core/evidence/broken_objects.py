"""Finds an object with the keys of a call that could not be read, as one of its keys is damaged.

Example: `{"name": "save", "argumnets": {"path": "a"}}` has one key of a call, and one like the other.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Final

from toolgrammar.core.evidence.used import closes_more
from toolgrammar.patterns.damaged_marks import most_damaged
from toolgrammar.patterns.distances import is_within
from toolgrammar.values.patterns import late

if TYPE_CHECKING:
    from collections.abc import Collection

_LONG: Final = 6
"""Letters of a key that data seldom has, as `arguments`; `name` is in much of it."""
_MOST: Final = 64
"""Places of one key that are looked at."""
_WRITTEN = late(
    r"""(?<=[{,\s])"(?P<quoted>[^"\n]{2,24})"\s{0,8}:
    |(?=[^\s{}\[\],:]{0,24}["'\u201c\u201d]|[^\s{}\[\],:]{0,24}:["'])
    ["'\u201c]{0,4}(?P<loose>(?:[^\s"'{}\[\],:]["'\u201d]?){1,24}?)["'\u201d\\]{0,4}[^\s\w"']?\s{0,8}:""",
    re.VERBOSE,
)
"""What may be a key: one of its quotes is there, and its colon. A run of quotes is no key."""
_QUOTES = late(r"[\"'\u201c\u201d]")


def broken_object(text: str, keys: Collection[str]) -> tuple[int, str] | None:
    """Returns the first key of a call in an object that may be one, and its place.

    Two keys of a call have to stand there, and one of them, or the object, is damaged: what is sound
    and no call is data. One key is enough in an object whose beginning is gone, as in
    `save", "arguments": {}}`.

    Args:
        text: the text.
        keys: those of calls.
    """
    if not keys or ("{" not in text and "}" not in text):
        return None
    whole = {key: at for key in keys if (at := text.find(f'"{key}"')) >= 0}
    damaged = _damaged_keys(text, keys)
    found = {**damaged, **whole}
    if not any(len(key) >= _LONG for key in found):
        return None
    if len(found) < 2 and not any(closes_more(text, at) for at in whole.values()):
        return None
    first = min(found.values())
    if not damaged and _is_sound(text, first):
        return None
    return first, text[first : first + 40]


def _damaged_keys(text: str, keys: Collection[str]) -> dict[str, int]:
    """Returns the keys that stand damaged, each with its place."""
    found: dict[str, int] = {}
    for number, each in enumerate(_WRITTEN.finditer(text)):
        if number >= _MOST:
            break
        word = each["quoted"] or _QUOTES.sub("", each["loose"])
        if word in keys and f'"{word}"' in each[0]:
            continue  # as it should be
        for key in keys:
            most = most_damaged(f'"{key}"')
            if key not in found and is_within(most, key, word):
                found[key] = each.start()
    return found


def _is_sound(text: str, place: int) -> bool:
    """Whether the object around a place is sound JSON."""
    start = text.rfind("{", 0, place)
    try:
        json.JSONDecoder().raw_decode(text, max(0, start))
    except (ValueError, RecursionError):
        return False
    return True

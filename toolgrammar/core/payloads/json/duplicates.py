"""Finds keys that a JSON object has twice, and compares their values.

Example: of `{"a": 1, "b": 2, "a": 1}` the repeated key has the same value; `"a": 1.0` is another one.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from toolgrammar.values.patterns import late

if TYPE_CHECKING:
    from collections.abc import Callable

    from toolgrammar.values.json_types import JsonValue

# A string, a mark, or a run of anything else (`12`, `true`). A string comes first, so that the
# marks in `"a: {"` are part of it.
_TOKEN = late(r'"(?:[^"\\]++|\\.)*+"|[{}\[\]:,]|[^\s{}\[\]:,"]+', re.DOTALL)


class RepeatedKeyError(ValueError):
    """An object has a key twice."""


def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Returns the object of some members.

    Raises:
        RepeatedKeyError: it has a key twice.
    """
    found = dict(pairs)
    if len(found) != len(pairs):
        raise RepeatedKeyError
    return found


_decoder = json.JSONDecoder(object_pairs_hook=unique)
scan_unique: Callable[[str, int], tuple[Any, int]] = _decoder.scan_once  # type: ignore[attr-defined]
"""Returns the strict value that begins at an index and its end, as the decoder's `scan_once` does."""


def has_duplicates(text: str, position: int) -> bool:
    """Whether an object in the strict value that begins at `position` has a key twice."""
    try:
        scan_unique(text, position)
    except ValueError:
        return True
    return False


def repeats_key(text: str, value: JsonValue) -> bool:
    """Whether a text that was read as an object or an array is JSON with a key twice in it."""
    # `{'a': 1}` is Python's notation: its reader has judged it.
    if not isinstance(value, dict | list) or not text.lstrip().startswith(("{", "[")):
        return False
    try:
        _decoder.decode(text)
    except RepeatedKeyError:
        return True
    except ValueError:
        return False
    return False


def unique_value(text: str) -> JsonValue:
    """Returns the value of a strict JSON text.

    Raises:
        ValueError: an object in it has a key twice.
    """
    value: JsonValue = _decoder.decode(text)
    return value


def equal_duplicates(text: str) -> list[bool]:
    """Returns for each repeated key of a JSON text, in its order, whether its value is the same.

    The value is compared with that of the same key before it.
    """
    found: list[bool] = []
    # For each open bracket: where its members' values stand, the current key and its value's start.
    seen: list[dict[str, tuple[int, int]] | None] = []
    # For each key whose value has not ended: the key, where its value begins, and its index in
    # `found`, or -1 for a key that is new.
    waiting: list[tuple[str, int, int]] = []
    key_start = key_end = end = 0
    is_value = False
    for match in _TOKEN.finditer(text):
        mark = match.group()
        # A comma or closer ends the value of the innermost key; in an array no key waits for it.
        if mark in ",}]":
            if waiting and is_value and seen[-1] is not None:
                name, start, place = waiting.pop()
                _note(text, seen[-1], (name, start, end), found, place)
            is_value = False
        if mark in "{[":
            seen.append({} if mark == "{" else None)
            is_value = False
        elif mark in "}]":
            seen.pop()
            # What was closed is itself a value: of a key where an object holds it.
            is_value = bool(seen) and seen[-1] is not None
        elif mark == ":":
            members = seen[-1]
            assert members is not None
            key = json.loads(text[key_start:key_end])
            place = -1
            if key in members:
                # Its place is taken now: repeats inside the value come later in the text.
                place = len(found)
                found.append(False)
            waiting.append((key, match.end(), place))
            is_value = True
        elif mark[0] == '"':
            key_start, key_end = match.span()
        end = match.end()
    return found


def _note(
    text: str,
    members: dict[str, tuple[int, int]],
    value: tuple[str, int, int],
    found: list[bool],
    place: int,
) -> None:
    name, start, end = value
    if place >= 0:
        before = members[name]
        found[place] = is_same(json.loads(text[slice(*before)]), json.loads(text[start:end]))
    # Of three equal keys, each is compared with the one before it.
    members[name] = (start, end)


def is_same(value: JsonValue, other: JsonValue) -> bool:
    """Whether two values are one in JSON: to it, `true` is not `1`, nor is `1.0`."""
    # The order of keys does not count: `{"a": 1, "b": 2}` is `{"b": 2, "a": 1}`.
    return json.dumps(value, sort_keys=True) == json.dumps(other, sort_keys=True)

"""Finds keys that a JSON object repeats, and compares their values.

Example: of `{"a": 1, "b": 2, "a": 1}` the repeated key has an equal value; `"a": 1.0` differs.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from toolgrammar.values.json_types import JsonValue


class RepeatedKeyError(ValueError):
    """An object has a key twice."""


def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Returns an object with the given members.

    Raises:
        RepeatedKeyError: a key occurs twice.
    """
    found = dict(pairs)
    if len(found) != len(pairs):
        raise RepeatedKeyError
    return found


_decoder = json.JSONDecoder(object_pairs_hook=unique)
scan_unique: Callable[[str, int], tuple[Any, int]] = _decoder.scan_once  # type: ignore[attr-defined]
"""Returns the strict value at an index and the index of its end: the decoder's `scan_once`."""


def repeats_key(text: str) -> bool:
    """Whether a text is JSON in which an object has a key twice."""
    try:
        _decoder.decode(text)
    except RepeatedKeyError:
        return True
    except ValueError:
        return False
    return False


class _Object(dict[str, Any]):
    """An object that keeps all of its members, repeated ones too."""

    def __init__(self, members: list[tuple[str, Any]]) -> None:
        super().__init__(members)
        self.members = members


def equal_duplicates(text: str) -> list[bool]:
    """Returns for each repeated key of a JSON text, in text order, whether its value is the same.

    The value is compared with that of the same key before it.
    """
    found: list[bool] = []
    # The values that are still to be searched, each with the earlier value of its key, if there is
    # one.
    pending: list[tuple[Any, list[Any]]] = [(json.loads(text, object_pairs_hook=_Object), [])]
    while pending:
        value, before = pending.pop()
        found += [is_same(value, each) for each in before]
        inner: list[tuple[Any, list[Any]]] = []
        if isinstance(value, _Object):
            last: dict[str, Any] = {}
            for key, part in value.members:
                inner.append((part, [last[key]] if key in last else []))
                last[key] = part
        elif isinstance(value, list):
            inner = [(part, []) for part in value]
        pending += reversed(inner)
    return found


def is_same(value: JsonValue, other: JsonValue) -> bool:
    """Whether two values are the same in JSON, where `true`, `1` and `1.0` differ."""
    # The order of keys does not count: `{"a": 1, "b": 2}` is `{"b": 2, "a": 1}`.
    return json.dumps(value, sort_keys=True) == json.dumps(other, sort_keys=True)

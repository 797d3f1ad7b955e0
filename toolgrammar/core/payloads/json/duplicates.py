"""Finds keys that a JSON object has twice, and compares their values.

Example: of `{"a": 1, "b": 2, "a": 1}` the repeated key has the same value; `"a": 1.0` is another one.
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
    """An object, and all the members that were written of it."""

    def __init__(self, members: list[tuple[str, Any]]) -> None:
        super().__init__(members)
        self.members = members


def equal_duplicates(text: str) -> list[bool]:
    """Returns for each repeated key of a JSON text, in its order, whether its value is the same.

    The value is compared with that of the same key before it.
    """
    found: list[bool] = []
    # What is still to be looked through, and the value of the same key before it, if there is one.
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
    """Whether two values are one in JSON: to it, `true` is not `1`, nor is `1.0`."""
    # The order of keys does not count: `{"a": 1, "b": 2}` is `{"b": 2, "a": 1}`.
    return json.dumps(value, sort_keys=True) == json.dumps(other, sort_keys=True)

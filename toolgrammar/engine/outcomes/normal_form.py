"""Converts what a tool returned to plain JSON data that shares nothing with the tool's objects.

`{1: {3, 2}}` becomes `{"1": [2, 3]}`.
"""

from __future__ import annotations

import math
from base64 import b64encode
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from datetime import date, time
from decimal import Decimal
from enum import Enum
from pathlib import PurePath
from typing import Any, Final
from uuid import UUID

from toolgrammar.engine.outcomes.failures import cut, text_of
from toolgrammar.engine.outcomes.media import blocks_of, cut_beside_media
from toolgrammar.engine.outcomes.text_json import compact_json

DEEPEST: Final = 64
"""The levels of lists and dicts that are kept."""
_MOST_REPEATS: Final = 300_000
"""The most values in repeated lists and dicts: nested lists that each contain the next one twice
grow exponentially when they are copied."""
_SHORT: Final = 32
"""With at least so many characters allowed, these need not be counted: None, booleans, integers"""
_PLAIN_INTEGERS: Final = 10**18
"""below this."""


class Unserialisable(Exception):  # noqa: N818 - inside the engine only: becomes an error value
    """Raised if a value can't be converted to JSON data; the text is the name of its type."""


def normal_form(value: Any, limit: int | None) -> Any:
    """Returns a value as plain JSON data; as a cut text if it is longer than `limit`.

    Raises:
        Unserialisable: a part of it can't be converted.
    """
    # Shortcuts, since most tools return a text, a number or None.
    kind = type(value)
    if kind is str:
        return cut(value, limit)
    if limit is None or limit >= _SHORT:
        if value is None or kind is bool:
            return value
        if kind is int and -_PLAIN_INTEGERS < value < _PLAIN_INTEGERS:
            return value
    plain = Normaliser(limit).plain(value, 0)
    if limit is None:
        return plain
    # A path, a date or an enumeration has become a text by now.
    if isinstance(plain, str):
        return cut(plain, limit)
    blocks = blocks_of(plain)
    # Images are not cut, so the other blocks are cut one by one.
    if blocks is not None:
        return cut_beside_media(blocks, limit) if isinstance(plain, list) else plain
    text = compact_json(plain)
    return cut(text, limit) if len(text) > limit else plain


class Normaliser:
    """Converts one value, and tracks the lists and dicts that contain the current part."""

    def __init__(self, limit: int | None) -> None:
        self._limit = limit
        # The ids of the containers around the current part: meeting one again is a cycle.
        self._open: set[int] = set()
        # Keeps the objects too, since the id of a freed object may be used again.
        self._seen: dict[int, Any] = {}
        # How many of the open containers are repeated: everything in them counts as repeated.
        self._again = 0
        self._repeats = 0

    def plain(self, value: Any, level: int) -> Any:
        """Returns a value at a level of nesting as plain JSON data."""
        if self._again:
            self._repeats += 1
            if self._repeats > _MOST_REPEATS:
                raise Unserialisable(f"{type(value).__name__}, many times over")
        kind = type(value)
        if value is None or kind is str or kind is bool:
            return value
        if kind is int and -_PLAIN_INTEGERS < value < _PLAIN_INTEGERS:
            return value
        try:
            return self._turned(value, level)
        except (Unserialisable, RecursionError):
            raise
        except Exception as error:  # a foreign object may raise anything
            raise Unserialisable(kind.__name__) from error

    def _turned(self, value: Any, level: int) -> Any:
        # Before the scalars, since an enumeration may also be a string or an integer.
        if isinstance(value, Enum):
            return self.plain(value.value, level)
        scalar = _scalar(value)
        if scalar is not _NONE:
            return scalar
        if isinstance(value, bytes | bytearray | memoryview):
            return self._bytes(value)
        if isinstance(value, BaseException):
            return {"type": "error", "error": type(value).__name__, "message": text_of(value)}
        # Any other object is written as its `str`.
        if not _is_container(value):
            return str(value)
        # A cycle becomes a mark, not an error, since the rest of the value is useful.
        if id(value) in self._open:
            return "<cycle>"
        if level >= DEEPEST:
            return "<depth>"
        again = id(value) in self._seen
        self._seen[id(value)] = value
        self._open.add(id(value))
        self._again += again
        try:
            return self._contents(value, level + 1)
        finally:
            self._again -= again
            self._open.discard(id(value))

    def _bytes(self, value: bytes | bytearray | memoryview) -> dict[str, Any]:
        data = bytes(value)
        found: dict[str, Any] = {"type": "bytes", "len": len(data)}
        # The length of the base64, computed without encoding.
        if self._limit is None or (len(data) + 2) // 3 * 4 <= self._limit:
            found["base64"] = b64encode(data).decode("ascii")
        return found

    def _contents(self, value: Any, level: int) -> Any:
        if isinstance(value, Mapping):
            return self._named(value.items(), level)
        # A set has no order, and results must be equal in every run.
        if isinstance(value, set | frozenset):
            return _in_order([self.plain(part, level) for part in value])
        # A named tuple becomes an object, not a list, since its parts have names.
        if isinstance(value, tuple) and hasattr(value, "_fields"):
            return self._named(zip(value._fields, value, strict=False), level)
        if isinstance(value, list | tuple):
            return [self.plain(part, level) for part in value]
        if _is_model(value):
            dumped = _dumped(value)
            if isinstance(dumped, Mapping):
                return self._named(dumped.items(), level)
            return self.plain(dumped, level)
        return self._named(
            ((field.name, getattr(value, field.name)) for field in fields(value)), level
        )

    def _named(self, items: Any, level: int) -> dict[str, Any]:
        return {_key(key): self.plain(part, level) for key, part in items}


_NONE: Final = object()


def _scalar(value: Any) -> Any:
    """Returns a scalar as JSON data, or a mark for any other value."""
    if isinstance(value, str):
        # `str.__str__`: a subclass may have a `__str__` of its own.
        return str.__str__(value)
    if isinstance(value, int):
        str(value)  # raises where the integer is longer than Python writes
        return int(value)
    if isinstance(value, float):
        if math.isfinite(value):
            return float(value)
        # JSON has no literals for these.
        return "NaN" if math.isnan(value) else ("Infinity" if value > 0 else "-Infinity")
    if isinstance(value, date | time):
        return value.isoformat()
    if isinstance(value, UUID | PurePath | Decimal):
        return str(value)
    return _NONE


def _key(key: Any) -> str:
    """Returns a key of a dict as a string."""
    if type(key) is str:
        return key
    if isinstance(key, Enum):
        return _key(key.value)
    scalar = _scalar(key)
    # `_scalar` accepts a boolean as an integer; as a key it is `True`, not `1`.
    return str(key if scalar is _NONE or isinstance(key, bool) else scalar)


def _is_container(value: Any) -> bool:
    if isinstance(value, Mapping | list | tuple | set | frozenset):
        return True
    # A dataclass itself, not an instance: its fields have no values.
    if isinstance(value, type):
        return False
    return is_dataclass(value) or _is_model(value)


def _is_model(value: Any) -> bool:
    """Whether a value is an instance of a pydantic model, without importing pydantic."""
    kind = type(value)
    return hasattr(kind, "__pydantic_serializer__") and hasattr(kind, "model_dump")


def _dumped(model: Any) -> Any:
    """Returns what the serializers of a pydantic model make of it."""
    try:
        return model.__pydantic_serializer__.to_python(model, warnings=False)
    except ValueError:  # the model contains itself: its fields are visited one by one
        shown = (name for name, field in type(model).model_fields.items() if not field.exclude)
        return {name: getattr(model, name) for name in shown}


def _in_order(parts: list[Any]) -> list[Any]:
    """Returns the members of a set in an order that is the same in every run."""
    # Numbers and texts are sorted as such; mixed members by their JSON.
    if all(isinstance(part, str) for part in parts) or all(
        isinstance(part, int | float) for part in parts
    ):
        return sorted(parts)
    return sorted(parts, key=compact_json)

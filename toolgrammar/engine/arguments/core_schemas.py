"""Walks the core schemas of pydantic: plain data, in which a type contains the types of its parts.

Of `list[int]` it is `{"type": "list", "items_schema": {"type": "int"}}`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

_OPAQUE: Final = frozenset(
    {
        "cls", "computed_fields", "config", "custom_error_context", "default", "discriminator",
        "expected", "json_schema_input_schema", "members", "metadata", "serialization",
    }
)  # fmt: skip
"""The keys of a core schema whose values are not schemas."""


def rebuilt(schema: Mapping[str, Any], change: Callable[[dict[str, Any]], Any]) -> dict[str, Any]:
    """Returns a copy of a schema in which each schema right below it is changed by a function."""
    return {
        key: part if key in _OPAQUE else _part(key, part, change) for key, part in schema.items()
    }


def _part(key: str, part: Any, change: Callable[[dict[str, Any]], Any]) -> Any:
    if _is_by_name(key, part):
        return {name: _changed(each, change) for name, each in part.items()}
    return _changed(part, change)


def _changed(part: Any, change: Callable[[dict[str, Any]], Any]) -> Any:
    if isinstance(part, list):
        return [_changed(each, change) for each in part]
    if isinstance(part, tuple):
        return tuple(_changed(each, change) for each in part)
    return change(part) if isinstance(part, dict) else part


def parts(schema: Mapping[str, Any]) -> Iterator[Any]:
    """Yields the values of a schema that may contain schemas."""
    for key, part in schema.items():
        # Data of the schema, such as a default, may look like a schema.
        if key not in _OPAQUE:
            yield list(part.values()) if _is_by_name(key, part) else part


def _is_by_name(key: str, part: Any) -> bool:
    """Whether the keys of a value are the names of fields or tags, not keywords."""
    return key in {"fields", "choices"} and isinstance(part, dict)

"""Fits a value to the JSON Schema of a tool's argument."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from toolgrammar.engine.number_forms import is_integer, is_number
from toolgrammar.engine.results import compact_json
from toolgrammar.values.schemas import type_of, types_of

if TYPE_CHECKING:
    from toolgrammar.values.json_types import JsonSchema


def fitted(value: Any, schema: JsonSchema) -> tuple[Any, str]:
    """Returns the value by the types and the list of a schema, and what does not fit or "".

    Only the top is looked at: what lies inside an object or a list passes as it is.
    """
    listed = _listed(schema)
    if listed is not None and any(_same(value, each) for each in listed):
        return value, ""
    types = types_of(schema)
    if types is not None and not _is_one_of(value, types):
        value, found = _converted(value, types)
        if not found:
            return value, f"Input should be {_choice([_article(each) for each in types])}"
    if listed is not None and not any(_same(value, each) for each in listed):
        return value, f"Input should be {_choice([compact_json(each) for each in listed])}"
    return value, ""


def _listed(schema: JsonSchema) -> list[Any] | None:
    """Returns the values that `enum` or `const` admits; None where neither says anything."""
    listed = schema.get("enum")
    if isinstance(listed, list) and listed:
        return listed
    return [schema["const"]] if "const" in schema else None


def _same(left: Any, right: Any) -> bool:
    """Tells whether two JSON values are equal; a boolean is no number."""
    return isinstance(left, bool) is isinstance(right, bool) and bool(left == right)


def _is_one_of(value: Any, types: tuple[str, ...]) -> bool:
    kind = type_of(value)
    return kind in types or (kind == "integer" and "number" in types)


def _converted(value: Any, types: tuple[str, ...]) -> tuple[Any, bool]:
    """Returns a value as one of the types, and whether that loses nothing."""
    for name in types:
        if isinstance(value, float) and name == "integer" and value.is_integer():
            return int(value), True
        if not isinstance(value, str):
            continue
        if name in {"integer", "number"} and is_integer(value):
            try:
                return int(value), True
            except ValueError:  # longer than Python reads
                return value, False
        if name == "number" and is_number(value):
            return float(value), True
        if name == "boolean" and len(value) <= 5 and value.lower() in {"true", "false"}:
            return value.lower() == "true", True
    return value, False


def _article(name: str) -> str:
    return "null" if name == "null" else f"a valid {name}"


def _choice(words: list[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"

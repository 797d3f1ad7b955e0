"""Describes nested arguments, for prompts that list parameters in words.

`{"type": "object", "properties": {"hour": {"type": "integer"}}, "required": ["hour"]}` of an
argument `at` becomes `- at (object, required)` and, below it, `  - hour (integer, required)`.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

_UNIONS: Final = ("anyOf", "oneOf")


def member_lines(
    properties: Mapping[str, Any],
    required: Collection[str],
    indent: str = "",
    above: frozenset[int] = frozenset(),
) -> Iterator[str]:
    """Yields a line for each member of an object, and below it those of what it holds.

    Args:
        properties: the schema of each member.
        required: the names of those that have to be there.
        indent: the white space before each line.
        above: the schemas that these stand in: one that holds itself is described once.
    """
    for name, schema in properties.items():
        needed = "required" if name in required else "optional"
        yield f"{indent}- {name} ({type_words(schema, above)}, {needed}){said(schema)}"
        yield from lines_below(schema, f"{indent}  ", above)


def lines_below(schema: Any, indent: str, above: frozenset[int] = frozenset()) -> Iterator[str]:
    """Yields the lines of the objects that a value is or holds, as in a list or a union."""
    # A schema that holds itself has no end.
    if not isinstance(schema, dict) or id(schema) in above:
        return
    inside = above | {id(schema)}
    if isinstance(properties := schema.get("properties"), dict):
        yield from member_lines(properties, strings(schema.get("required")), indent, inside)
    for key in ("items", "additionalProperties"):
        yield from lines_below(schema.get(key), indent, inside)
    for each in _union(schema):
        yield from lines_below(each, indent, inside)


def type_words(schema: Any, above: frozenset[int] = frozenset()) -> str:
    """Returns what a value is: `string or null`, `array of integer`, `string, one of ["c", "f"]`."""
    if not isinstance(schema, dict):
        return "any type"
    # A recursive schema is described once; repeated, only its type is given.
    parts = [] if id(schema) in above else _union(schema)
    inside = above | {id(schema)}
    kinds = [_kind(kind, schema, above) for kind in types(schema)]
    kinds = kinds or [type_words(each, inside) for each in parts]
    words = " or ".join(dict.fromkeys(kinds)) or "any type"
    # The choices say more than the type.
    if isinstance(choices := schema.get("enum"), list):
        return f"{words}, one of {_json(choices)}"
    return f"{words}, always {_json(schema['const'])}" if "const" in schema else words


def _kind(kind: str, schema: dict[str, Any], above: frozenset[int]) -> str:
    """Returns a type with that of what it holds."""
    if id(schema) in above:
        return kind
    inside = above | {id(schema)}
    if kind == "array" and isinstance(inner := schema.get("items"), dict):
        return f"array of {type_words(inner, inside)}"
    if kind == "object" and isinstance(inner := schema.get("additionalProperties"), dict):
        return f"object of any keys, each {type_words(inner, inside)}"
    return kind


def _union(schema: dict[str, Any]) -> list[Any]:
    return [each for key in _UNIONS for each in _list(schema.get(key))]


def said(schema: Any) -> str:
    """Returns `: ` and a schema's description; "" if it has none."""
    found = schema.get("description") if isinstance(schema, dict) else None
    return f": {one_line(found)}" if isinstance(found, str) and found.strip() else ""


def finite(schema: Any, above: frozenset[int] = frozenset()) -> Any:
    """Returns a copy of a schema that JSON can write: what holds itself is any value there."""
    if isinstance(schema, list):
        return [finite(each, above) for each in schema]
    if not isinstance(schema, dict):
        return schema
    if id(schema) in above:
        return {}
    inside = above | {id(schema)}
    return {key: finite(each, inside) for key, each in schema.items()}


def types(schema: Any) -> list[str]:
    """Returns the types that a schema names: one, several, or none."""
    found = schema.get("type") if isinstance(schema, dict) else None
    return [found] if isinstance(found, str) else strings(found)


def strings(value: Any) -> list[str]:
    """Returns the strings of a list; none if there is no list."""
    return [each for each in _list(value) if isinstance(each, str)]


def one_line(text: str) -> str:
    """Returns a text with its line ends and runs of blanks as single blanks."""
    return " ".join(text.split())


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)

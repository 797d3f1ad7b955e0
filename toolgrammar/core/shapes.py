"""Types a raw value by its own shape: what is valid JSON is that value, anything else is text."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from toolgrammar.core.json_whole import read_whole
from toolgrammar.tools.coerce import is_text_only, type_text

if TYPE_CHECKING:
    from toolgrammar.values.json_types import JsonSchema

_JSON_STARTS = frozenset("{[-0123456789tfn")


def shaped(text: str, schema: JsonSchema | None) -> tuple[Any, bool]:
    """Gives the value of a text, and whether it fits its schema.

    A schema is asked afterwards: a number where it wants a string goes back to its text.
    """
    found = json_shape(text)
    if found is None:
        return type_text(text, schema)
    (value,) = found
    if isinstance(value, str):
        return type_text(value, schema)
    if schema is None:
        return value, True
    return (text, True) if is_text_only(schema) else type_text(text, schema)


def may_be_json(first: str, schema: JsonSchema | None) -> bool:
    """Whether a value that begins with this character may be anything but its own text."""
    return first == '"' or (schema is None and first in _JSON_STARTS)


def json_shape(text: str) -> tuple[Any] | None:
    """Gives the value of a JSON text, or None where it is none."""
    stripped = text.strip()
    whole = read_whole(f"{stripped} ", 0)
    if whole is None or whole[1] != len(stripped):
        return None
    try:
        json.dumps(whole[0], allow_nan=False)
    except ValueError:
        return None  # a number that no JSON number is, such as 1e999
    return (whole[0],)

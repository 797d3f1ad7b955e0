"""Defines the types of JSON values and of JSON Schemas."""

from __future__ import annotations

from typing import Any, TypeAlias, Union

# `Union`, since `|` between names in quotes fails at run time.
JsonValue: TypeAlias = Union["dict[str, JsonValue]", "list[JsonValue]", str, int, float, bool, None]
"""Any value that a JSON text can hold."""

JsonSchema: TypeAlias = dict[str, Any]
"""A JSON Schema that is an object; the schema `true` is written `{}`."""

AnySchema: TypeAlias = JsonSchema | bool
"""Any JSON Schema; `True` admits every value, `False` admits no value."""

"""The types of JSON values and of JSON Schemas."""

from __future__ import annotations

from typing import Any, TypeAlias, Union

# `Union`, since `|` between names in quotes fails at run time.
JsonValue: TypeAlias = Union["dict[str, JsonValue]", "list[JsonValue]", str, int, float, bool, None]
"""Whatever a JSON text can say."""

JsonSchema: TypeAlias = dict[str, Any]
"""A JSON Schema that is an object; `true` is `{}`."""

AnySchema: TypeAlias = JsonSchema | bool
"""A JSON Schema; `True` admits every value, and `False` none."""

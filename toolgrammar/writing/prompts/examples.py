"""Makes up a plain call of a tool from its schema, to show how calls are written.

A tool `search` with the required string `query` gives `search(query="some query")`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from toolgrammar.values.calls import ToolCall

if TYPE_CHECKING:
    from toolgrammar.values.tools import ToolSpec

# A schema may hold itself: deeper values are plain ones.
_DEEPEST: Final = 4
_PLAIN: Final[dict[str, Any]] = {
    "integer": 1, "number": 1.5, "boolean": True, "null": None, "array": [], "object": {},
}  # fmt: skip


def example_call(tool: ToolSpec) -> ToolCall:
    # An argument that is required but not described has no type to make a value of.
    """Returns a call with every required argument; with the first argument if none is required."""
    properties = tool.properties
    names = [name for name in tool.required if name in properties] or list(properties)[:1]
    return ToolCall(tool.name, {name: _value(name, properties[name], 0) for name in names})


def _value(name: str, schema: Any, depth: int) -> Any:
    """Returns a value that fits a schema: one that it names, or a plain one of its type."""
    if not isinstance(schema, dict):
        return f"some {name}"
    if "const" in schema:
        return schema["const"]
    # An example of the tool's author is better than `some city`.
    for key in ("enum", "examples"):
        if isinstance(found := schema.get(key), list) and found:
            return found[0]
    # A default of null does not show what a value looks like.
    if schema.get("default") is not None:
        return schema["default"]
    for key in ("anyOf", "oneOf"):
        # Any member of a union fits; the first is the usual one.
        if isinstance(members := schema.get(key), list) and members:
            return _value(name, members[0], depth + 1)
    kind = schema.get("type")
    first = kind[0] if isinstance(kind, list) and kind else kind
    if first == "array" and "items" in schema and depth < _DEEPEST:
        return [_value(name, schema["items"], depth + 1)]
    if first == "object" and isinstance(schema.get("properties"), dict) and depth < _DEEPEST:
        needed = schema.get("required")
        return {
            key: _value(key, inner, depth + 1)
            for key, inner in schema["properties"].items()
            if not isinstance(needed, list) or key in needed
        }
    return _PLAIN.get(str(first), f"some {name}")

"""Provides the interface of the older Reploid parser: dicts of name, args and, if it failed, error.

A call becomes `{"name": "get_weather", "args": {"city": "Oslo"}}`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NotRequired, TypedDict

from toolgrammar.parsing.whole import parse
from toolgrammar.values.schemas import is_one_of, types_of

if TYPE_CHECKING:
    from toolgrammar.values.calls import ParseResult, ToolCall

__all__ = ["ReploidCall", "is_done", "parse_tool_calls", "validate_tool_call"]


class ReploidCall(TypedDict):
    """A call in the older shape."""

    name: str
    """The tool's name; it is not checked."""
    args: dict[str, Any]
    """The arguments; {} when there is an error."""
    error: NotRequired[str]
    """Why the arguments could not be read; absent if they could."""


def parse_tool_calls(text: str | None) -> list[ReploidCall]:
    """Returns the calls of a text, in order; never raises on text.

    An object that was never closed gives `{}` and an error here, though the parser itself keeps
    the members it could read. Broken but closed objects are repaired.
    """
    result = parse(text, format="reploid")
    calls: list[ReploidCall] = []
    for call in result.calls:
        error = _error_of(call, result)
        if error is None:
            calls.append({"name": call.name, "args": call.arguments})
        else:
            calls.append({"name": call.name, "args": {}, "error": error})
    return calls


def is_done(text: str | None) -> bool:
    """Returns False: no text ends the task in this mode, the caller decides."""
    return False


def validate_tool_call(call: object, schema: object) -> bool:
    """Whether a call has a name, no error, and arguments that fit a schema; never raises.

    Args:
        call: a call as `parse_tool_calls` gives it.
        schema: the JSON Schema of the arguments, or a tool that holds one.
    """
    if not isinstance(call, Mapping) or call.get("error"):
        return False
    name, args = call.get("name"), call.get("args")
    if not isinstance(name, str) or not name or not isinstance(args, Mapping):
        return False
    return _fits(args, _parameters_of(schema))


def _error_of(call: ToolCall, result: ParseResult) -> str | None:
    """Returns why a call has no arguments in the older interface, or None if it has."""
    raw = call.raw_arguments.strip()
    if call.error is not None:
        # The older parser's words for broken JSON, and for a text that is none.
        return f"JSON Parse Error: {call.error}" if raw.startswith("{") else "Invalid JSON block"
    if call.status == "truncated" or _root_closed_by_edit(call, result):
        return "Invalid JSON block: the object is never closed"
    return None


def _root_closed_by_edit(call: ToolCall, result: ParseResult) -> bool:
    """Whether a repair had to put in the last brace, after all that the model wrote."""
    source = result.source
    # Edits have places in the source, the raw arguments are a text: here that is sought in the
    # source.
    end = source.find(call.raw_arguments, call.span.start) + len(call.raw_arguments.rstrip())
    # A brace that was put in, replacing no text of the model's.
    return any(
        not source[edit.span.start : edit.span.end].strip()
        and end <= edit.span.start <= call.span.end
        and "}" in edit.replacement
        for diagnostic in result.diagnostics
        for edit in diagnostic.edits
    )


def _parameters_of(schema: object) -> object:
    """Returns the schema of the arguments, taken out of a tool where one was given."""
    if not isinstance(schema, Mapping):
        return schema
    # OpenAI has the schema under `function.parameters`; Anthropic and MCP have it at the top.
    inner = schema.get("function", schema)
    # With `properties` it is the schema itself, and `parameters` would be a name of an argument.
    if isinstance(inner, Mapping) and "properties" not in inner:
        for key in ("parameters", "input_schema", "inputSchema"):
            if isinstance(inner.get(key), Mapping):
                return inner[key]
    return schema


def _fits(value: object, schema: object) -> bool:
    """Whether a value has the type, the members and the items that a schema asks for."""
    if not isinstance(schema, Mapping):
        return True
    types = types_of(schema)
    if types is not None and not is_one_of(value, types):
        return False
    if isinstance(schema.get("enum"), list) and value not in schema["enum"]:
        return False
    if isinstance(value, Mapping):
        properties = schema.get("properties")
        known = properties if isinstance(properties, Mapping) else {}
        # What stands in a caller's schema may be of any type: what is not a list of keys requires
        # nothing.
        required = schema.get("required")
        keys = required if isinstance(required, list) else []
        if any(isinstance(key, str) and key not in value for key in keys):
            return False
        if schema.get("additionalProperties") is False and any(key not in known for key in value):
            return False
        return all(_fits(member, known.get(key)) for key, member in value.items())
    if isinstance(value, list):
        return all(_fits(item, schema.get("items")) for item in value)
    return True

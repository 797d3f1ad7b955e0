"""Detects arguments that are something else: the schema of their tool, or a whole call.

Examples: a call with the arguments `{"type": "object", "properties": {}}` is the definition of its tool.
In a call of `search` the arguments `{"name": "search", "arguments": {"query": "x"}}` repeat the call.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Container, Mapping

    from toolgrammar.values.tools import ToolSpec

KEYS_OF_ARGUMENTS: Final = frozenset({"args", "arguments", "input", "parameters", "params"})
"""The keys of a call's arguments in various formats."""
KEYS_OF_NAME: Final = ("name", "tool", "tool_name", "function", "function_name", "action")
"""The keys of a call's name in various formats."""
_AROUND: Final = frozenset(
    {"call", "calls", "command", "function", "function_call", "tool_call", "tool_calls"}
)
"""The keys of a call or a list of calls in an enclosing object."""
_OF_ARGUMENTS: Final = KEYS_OF_ARGUMENTS | {"action_input", "action_variables", "tool_input"}
"""The keys of arguments in an object that also has a name, which makes more keys credible."""
_OF_CALLS: Final = _OF_ARGUMENTS | _AROUND


def is_of_all(key: str) -> bool:
    """Whether formats use a key for all arguments of a call, such as `parameters`."""
    return key.lower() in KEYS_OF_ARGUMENTS


def are_schema_or_call(
    name: str,
    arguments: Mapping[str, object] | None,
    spec: ToolSpec | None,
    tools: Container[str],
) -> bool:
    """Whether the arguments of a call are a schema, or a call themselves.

    Args:
        name: the name of the call.
        arguments: the arguments that were read.
        spec: the tool that is called; None if it is not known.
        tools: the names of the known tools.
    """
    return is_definition(arguments, spec) or are_call(name, arguments, spec, tools)


def is_definition(arguments: Mapping[str, object] | None, spec: ToolSpec | None) -> bool:
    """Whether the arguments of a call are the schema of an object, and its tool takes none.

    Args:
        arguments: the arguments that were read.
        spec: the tool that is called; None if it is not known.
    """
    if not arguments or arguments.get("type") != "object":
        return False
    if "properties" in arguments:
        return spec is None or "properties" not in spec.properties
    # `{"type": "object"}` is the schema of a tool without arguments; alone it may be anything.
    return len(arguments) == 1 and spec is not None and "type" not in spec.properties


def are_call(
    name: str,
    arguments: Mapping[str, object] | None,
    spec: ToolSpec | None,
    tools: Container[str],
) -> bool:
    """Whether the arguments of a call repeat the call, or are a call of another known tool.

    Example: `{"name": "f", "arguments": {"tool_calls": [{"name": "f", "arguments": {"a": 1}}]}}`.

    Args:
        name: the name of the call.
        arguments: the arguments that were read.
        spec: the tool that is called; None if it is not known.
        tools: the names of the known tools.
    """
    # Most arguments have none of these keys.
    if not arguments or _OF_CALLS.isdisjoint(arguments):
        return False
    # If the tool has an argument of such a name, its value is an argument, whatever it contains.
    known = spec.properties.keys() if spec is not None else frozenset()
    keys = _OF_CALLS & arguments.keys() - known
    call: object = arguments
    if len(arguments) == 1 and not keys.isdisjoint(_AROUND):
        (call,) = arguments.values()
        call = call[0] if isinstance(call, list) and call else call
        keys = _OF_ARGUMENTS
    if not isinstance(call, dict) or not any(
        _is_object(call.get(key)) for key in _OF_ARGUMENTS & keys
    ):
        return False
    named = (call.get(key) for key in KEYS_OF_NAME)
    return any(each == name or (isinstance(each, str) and each in tools) for each in named)


def _is_object(value: object) -> bool:
    """Whether a value is an object, or the text of one."""
    return isinstance(value, dict) or (isinstance(value, str) and value.lstrip()[:1] == "{")

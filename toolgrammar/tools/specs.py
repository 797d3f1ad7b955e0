"""Converts a tool of any shape to a `ToolSpec`.

`{"name": "search", "input_schema": {…}}` and a function `search` both become `ToolSpec("search", …)`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from copy import deepcopy
from typing import Any, Final

from toolgrammar.tools.bounds import check_depth, check_tool
from toolgrammar.values.errors import described
from toolgrammar.values.json_types import JsonSchema  # noqa: TC001 - kept for the documentation
from toolgrammar.values.tools import ToolSpec

_SCHEMA_KEYS: Final = ("parameters", "input_schema", "inputSchema")
"""The keys of a tool's schema in OpenAI, Anthropic and MCP."""

_EXPECTED: Final = (
    "expected a tool: a dict with 'name' and 'parameters' (OpenAI), 'input_schema' (Anthropic) "
    "or 'inputSchema' (MCP), a pydantic model class, a callable with type hints, or a ToolSpec"
)


def to_specs(tools: Iterable[object] | None) -> Mapping[str, ToolSpec]:
    """Returns the tools by their names; of two with one name the last counts.

    The mapping may be given to others too: it is to be read only.

    Args:
        tools: OpenAI tool dicts (wrapped in `function` or bare), Anthropic or MCP ones, MCP
            objects, pydantic model classes, callables with type hints, ToolSpecs, in any mixture;
            or what this function gave; or None for no tools.

    Raises:
        TypeError: something is not a tool; the message says what it is.
        ValueError: a tool costs too much: a name of more than 256 characters, a schema of more than
            200 levels, an expression in `patternProperties` that may never end.
    """
    # The same list comes with every message of a conversation. It is found by its identity; a
    # comparison with its copy shows whether it was changed, or is another list at the same address.
    known = recent_specs.get(id(tools))
    if known is not None and known[0] == tools:
        return known[1]
    if tools is None:
        return {}
    if type(tools) is _Specs:
        return tools
    if isinstance(tools, Mapping):
        # Tools by their names, as an engine has them; what a dict describes is one tool.
        if any(isinstance(tool, Mapping | str) or not _is_tool(tool) for tool in tools.values()):
            raise TypeError("tools must be a list of tools, got one dict; write [tool]")
        tools = list(tools.values())
    # A string is iterable, and each of its characters would be told as no tool.
    elif isinstance(tools, str | bytes) or not isinstance(tools, Iterable):
        raise TypeError(f"tools must be a list of tools, got {described(tools)}")
    # Only plain dicts can be copied and compared for sure; functions and models are read again.
    if not isinstance(tools, list) or not all(type(tool) is dict for tool in tools):
        return _read(tools)
    # All at once: few callers have so many lists, and those in use come back with the next message.
    if len(recent_specs) >= _KEPT:
        recent_specs.clear()
    for tool in tools:
        check_depth(tool)
    # A copy: the caller may change a schema in place, and the next message shall see it.
    copy = deepcopy(tools)
    specs = _read(copy)
    recent_specs[id(tools)] = (copy, specs)
    return specs


_KEPT: Final = 16
recent_specs: dict[int, tuple[list[object], dict[str, ToolSpec]]] = {}
"""By the identity of a list, which is only a hint: a copy to compare it with, and its tools."""


class _Specs(dict[str, ToolSpec]):
    """Marks a result of this module, which need not be read again for the next message."""


def _read(tools: Iterable[object]) -> dict[str, ToolSpec]:
    specs = [to_spec(tool) for tool in tools]
    for spec in specs:
        check_tool(spec.name, spec.parameters)
    return _Specs({spec.name: spec for spec in specs})


def to_spec(tool: object) -> ToolSpec:
    """Returns what is known about one tool.

    Raises:
        TypeError: it is not a tool.
    """
    if isinstance(tool, ToolSpec):
        return tool
    if isinstance(tool, Mapping):
        return _of_dict(tool)
    # Every class can be called, but one that is not a pydantic model is a mistake of the caller's.
    if isinstance(tool, type):
        return _of_model(tool)
    # MCP's own objects have a name and `inputSchema` as attributes.
    if isinstance(getattr(tool, "name", None), str):
        for key in _SCHEMA_KEYS:
            schema = getattr(tool, key, None)
            if isinstance(schema, Mapping):
                return _spec(tool, getattr(tool, "name", ""), _about(tool), schema)
    if callable(tool):
        # What reads signatures imports `uuid`, `decimal` and more: a tenth of the start of a program.
        from toolgrammar.tools.signatures import schema_of_callable

        name, description, schema = schema_of_callable(tool)
        return ToolSpec(name, description, schema)
    raise TypeError(f"{_EXPECTED}; got {described(tool)}")


def _is_tool(tool: object) -> bool:
    return isinstance(tool, ToolSpec) or callable(tool) or hasattr(tool, "parameters")


def _about(tool: object) -> object:
    return getattr(tool, "description", None)


def _of_dict(tool: Mapping[Any, Any]) -> ToolSpec:
    # OpenAI wraps the tool: `{"type": "function", "function": {"name": …}}`.
    inner = tool.get("function")
    body = inner if isinstance(inner, Mapping) else tool
    # `"parameters": null` beside an `input_schema` is none.
    schema = next((body[key] for key in _SCHEMA_KEYS if body.get(key) is not None), None)
    return _spec(tool, body.get("name"), body.get("description"), schema)


def _of_model(model: type) -> ToolSpec:
    describe = getattr(model, "model_json_schema", None)
    if not callable(describe):
        raise TypeError(f"{_EXPECTED}; got {described(model)}, which is no pydantic model")
    schema = describe()
    return _spec(model, model.__name__, schema.get("description"), schema)


def _spec(tool: object, name: object, description: object, schema: object) -> ToolSpec:
    if not isinstance(name, str) or not name:
        raise TypeError(f"{_EXPECTED}; got {described(tool)} without a name")
    if schema is not None and not isinstance(schema, Mapping):
        raise TypeError(f"the schema of the tool {name!r} must be a dict, got {described(schema)}")
    parameters: JsonSchema | None = (
        schema if isinstance(schema, dict) or schema is None else {**schema}
    )
    return ToolSpec(name, description if isinstance(description, str) else "", parameters)

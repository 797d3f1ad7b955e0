"""Writes lists of tools as prompts show them: JSON, TypeScript, Python, XML, or plain words."""

from __future__ import annotations

import json
import keyword
from typing import TYPE_CHECKING, Any, Final

from toolgrammar.writing.prompts.nested import (
    finite,
    lines_below,
    member_lines,
    one_line,
    said,
    strings,
    type_words,
    types,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from toolgrammar.values.tools import ToolSpec

_DEEPEST: Final = 8
"""Types below this many others are written as any type: one that holds itself has no end."""

_TYPESCRIPT: Final = {
    "string": "string", "integer": "number", "number": "number", "boolean": "boolean",
    "null": "null", "object": "object", "array": "any[]",
}  # fmt: skip
_PYTHON: Final = {
    "string": "str", "integer": "int", "number": "float", "boolean": "bool",
    "null": "None", "object": "dict", "array": "list",
}  # fmt: skip


def as_json(tools: Iterable[ToolSpec]) -> str:
    """Returns the tools as one JSON list, in the shape of OpenAI's API."""
    return _json([_wrapped(tool) for tool in tools])


def as_json_lines(tools: Iterable[ToolSpec]) -> str:
    """Returns the tools as JSON objects, one a line, in the shape of OpenAI's API."""
    return "\n".join(_json(_wrapped(tool)) for tool in tools)


def as_functions(tools: Iterable[ToolSpec]) -> str:
    """Returns the tools as JSON objects, one a line, each with its name at the top."""
    return "\n".join(_json(_function(tool)) for tool in tools)


def as_typescript(tools: Iterable[ToolSpec]) -> str:
    """Returns the tools as TypeScript types in the namespace `functions`."""
    types = "\n\n".join(_typescript_of(tool) for tool in tools)
    return f"namespace functions {{\n\n{types}\n\n}} // namespace functions"


def as_python(tools: Iterable[ToolSpec]) -> str:
    """Returns the tools as Python functions without bodies."""
    return "\n\n".join(_python_of(tool) for tool in tools)


def as_xml(tools: Iterable[ToolSpec]) -> str:
    """Returns the tools as XML elements."""
    return "\n".join(_xml_of(tool) for tool in tools)


def as_words(tools: Iterable[ToolSpec]) -> str:
    """Returns for each tool a heading, what it does, and its parameters as a list."""
    return "\n\n".join(in_words(tool) for tool in tools)


def as_headed(tools: Iterable[ToolSpec]) -> str:
    """Returns for each tool a heading, what it does, and the schema of its arguments."""
    return "\n\n".join(
        f"### {tool.name}\nDescription: {one_line(tool.description)}\n\n"
        f"Parameters: {_json(_function(tool)['parameters'])}"
        for tool in tools
    )


def as_lines(tools: Iterable[ToolSpec]) -> str:
    """Returns for each tool one line: its name, what it does, and the schema of its arguments."""
    return "\n".join(
        f"{tool.name}: {one_line(tool.description)}{' ' if tool.description else ''}"
        f"Arguments: {_json(_named_schemas(tool))}"
        for tool in tools
    )


def as_names(tools: Iterable[ToolSpec]) -> str:
    """Returns the names of the tools, with commas between."""
    return ", ".join(tool.name for tool in tools)


WRITERS: Final[Mapping[str, Callable[[Iterable[ToolSpec]], str]]] = {
    "tools_json": as_json,
    "tools_json_lines": as_json_lines,
    "tools_functions": as_functions,
    "tools_typescript": as_typescript,
    "tools_python": as_python,
    "tools_xml": as_xml,
    "tools_words": as_words,
    "tools_headed": as_headed,
    "tools_lines": as_lines,
    "tool_names": as_names,
}
"""The writers by the names that prompts use for them."""
JSON_WRITERS: Final = frozenset({"tools_json", "tools_json_lines", "tools_functions"})
"""The names of those that write JSON and nothing else."""


def in_words(tool: ToolSpec) -> str:
    """Returns one tool a heading, what it does, and its parameters as a list."""
    lines = [f"## {tool.name}"]
    if tool.description:
        lines.append(f"Description: {one_line(tool.description)}")
    known = list(member_lines(tool.properties, tool.required))
    lines += ["Parameters:", *known] if known else ["Parameters: none"]
    return "\n".join(lines)


# TypeScript


def _typescript_of(tool: ToolSpec) -> str:
    lines = [f"// {line}" for line in tool.description.splitlines() if line.strip()]
    if not tool.properties:
        return "\n".join([*lines, f"type {tool.name} = () => any;"])
    lines.append(f"type {tool.name} = (_: {{")
    lines += _members(tool.properties, tool.required, 0)
    return "\n".join([*lines, "}) => any;"])


def _members(properties: Mapping[str, Any], required: Iterable[str], depth: int) -> list[str]:
    lines: list[str] = []
    for name, schema in properties.items():
        said = schema.get("description") if isinstance(schema, dict) else None
        if isinstance(said, str):
            lines += [f"// {line.strip()}" for line in said.splitlines() if line.strip()]
        mark = "" if name in required else "?"
        # The default is told in a comment after the member, as the templates of models do it.
        default = schema.get("default") if isinstance(schema, dict) else None
        note = "" if default is None else f" // default: {_json(default)}"
        # `page-size` is not an identifier of TypeScript, so it is quoted.
        key = name if name.isidentifier() else _json(name)
        lines.append(f"{key}{mark}: {_typescript(schema, depth + 1)},{note}")
    return lines


def _typescript(schema: Any, depth: int) -> str:
    if not isinstance(schema, dict) or depth > _DEEPEST:
        return "any"
    if isinstance(choices := schema.get("enum"), list) and choices:
        return " | ".join(_json(choice) for choice in choices)
    if "const" in schema:
        return _json(schema["const"])
    for key in ("anyOf", "oneOf"):
        if isinstance(members := schema.get(key), list) and members:
            # Duplicate members are dropped: `string | string` is `string`.
            return " | ".join(dict.fromkeys(_typescript(each, depth + 1) for each in members))
    kinds = types(schema)
    if kinds == ["array"] and "items" in schema:
        inner = _typescript(schema["items"], depth + 1)
        # `(string | null)[]`: brackets bind more strongly than the bar.
        return f"({inner})[]" if " | " in inner else f"{inner}[]"
    if kinds == ["object"] and isinstance(schema.get("properties"), dict):
        needed = strings(schema.get("required"))
        return "{\n" + "\n".join(_members(schema["properties"], needed, depth + 1)) + "\n}"
    return " | ".join(_TYPESCRIPT.get(kind, "any") for kind in kinds) or "any"


# Python


def _python_of(tool: ToolSpec) -> str:
    properties = tool.properties
    # Parameters without a default have to stand first in Python.
    first = [name for name in properties if name in tool.required]
    names = [*first, *(name for name in properties if name not in tool.required)]
    # A name such as `from` or `page-size` can't be a parameter: the docstring describes it.
    usable = all(name.isidentifier() and not keyword.iskeyword(name) for name in names)
    parameters = ", ".join(_parameter(tool, name) for name in names) if usable else "**arguments"
    lines = [f"def {tool.name}({parameters}):"]
    notes = [line for name in names for line in _notes(tool, name, usable=usable)]
    notes = ["", "    Args:", *notes] if notes else []
    about = [line.strip() for line in tool.description.splitlines() if line.strip()] or [tool.name]
    lines += [f'    """{about[0]}', *(f"    {line}" for line in about[1:]), *notes]
    # A docstring of one line has its closing quotes on that line.
    if len(lines) == 2:
        return f'{lines[0]}\n{lines[1]}"""'
    return "\n".join([*lines, '    """'])


def _notes(tool: ToolSpec, name: str, *, usable: bool) -> list[str]:
    """Returns the lines of a docstring about a parameter: what its hint does not say."""
    schema = tool.properties[name]
    inner = list(lines_below(schema, " " * 12))
    if not usable:
        # Nothing else names it.
        needed = "required" if name in tool.required else "optional"
        return [f"        {name} ({type_words(schema)}, {needed}){said(schema)}", *inner]
    words = said(schema) or (":" if inner else "")
    return [f"        {name}{words}", *inner] if words else []


def _parameter(tool: ToolSpec, name: str) -> str:
    schema = tool.properties[name]
    hint = _python(schema, 0)
    if name in tool.required:
        return f"{name}: {hint}"
    default = schema.get("default")
    # `= None` needs a type that admits it.
    optional = hint if default is not None or hint.endswith("None") else f"{hint} | None"
    return f"{name}: {optional} = {default!r}"


def _python(schema: Any, depth: int) -> str:
    # A type that is deeper than a model would read; a schema may also hold itself.
    if not isinstance(schema, dict) or depth > _DEEPEST:
        return "object"
    # Before the types: the values tell a model more than that they are strings.
    if isinstance(choices := schema.get("enum"), list) and choices:
        return f"Literal[{', '.join(repr(choice) for choice in choices)}]"
    for key in ("anyOf", "oneOf"):
        if isinstance(members := schema.get(key), list) and members:
            return " | ".join(dict.fromkeys(_python(each, depth + 1) for each in members))
    kinds = types(schema)
    if kinds == ["array"] and "items" in schema:
        return f"list[{_python(schema['items'], depth + 1)}]"
    return " | ".join(_PYTHON.get(kind, "object") for kind in kinds) or "object"


# XML

_IN_XML: Final = ("enum", "const", "default", "items", "properties", "required", "anyOf", "oneOf")
"""The elements of a parameter that are written as JSON, as models were trained on."""


def _xml_of(tool: ToolSpec) -> str:
    lines = ["<function>", f"<name>{tool.name}</name>"]
    if tool.description:
        lines.append(f"<description>{tool.description.strip()}</description>")
    lines.append("<parameters>")
    for name, schema in tool.properties.items():
        lines += ["<parameter>", f"<name>{name}</name>"]
        kinds = types(schema)
        if kinds:
            lines.append(f"<type>{' or '.join(kinds)}</type>")
        # Without the `: ` that stands before it in words.
        if words := said(schema):
            lines.append(f"<description>{words[2:]}</description>")
        lines += [
            f"<{key}>{_json(finite(schema[key], frozenset({id(schema)})))}</{key}>"
            for key in _IN_XML
            if key in schema
        ]
        lines.append("</parameter>")
    if tool.required:
        lines.append(f"<required>{_json(list(tool.required))}</required>")
    return "\n".join([*lines, "</parameters>", "</function>"])


# JSON


def _wrapped(tool: ToolSpec) -> dict[str, Any]:
    return {"type": "function", "function": _function(tool)}


def _function(tool: ToolSpec) -> dict[str, Any]:
    # OpenAI's shape always has `parameters`, if only an empty object.
    schema = tool.parameters or {"type": "object", "properties": {}}
    said = {"description": tool.description} if tool.description else {}
    return {"name": tool.name, **said, "parameters": schema}


def _named_schemas(tool: ToolSpec) -> dict[str, Any]:
    # References are resolved: what they lead to is not in the line.
    return {name: finite(schema) for name, schema in tool.properties.items()}


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)

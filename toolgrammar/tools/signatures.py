"""Converts a Python signature to the JSON Schema of a tool's arguments.

`def search(q: str, n: int = 5)` is an object with a string `q`, which
is required, and an integer `n`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import MISSING, fields, is_dataclass
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from functools import partial
from pathlib import PurePath
from types import NoneType, UnionType
from typing import (
    Annotated,
    Any,
    Final,
    Literal,
    NotRequired,
    Required,
    Union,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)
from uuid import UUID

from toolgrammar.tools.docstrings import described_parameters
from toolgrammar.values.schemas import type_of

_PLAIN: Final = {
    str: "string", int: "integer", float: "number", bool: "boolean", NoneType: "null",
    list: "array", tuple: "array", set: "array", frozenset: "array", dict: "object",
}  # fmt: skip
_FORMATS: Final = {
    datetime: "date-time", date: "date", time: "time", timedelta: "duration", UUID: "uuid",
}  # fmt: skip
"""Types that JSON writes as strings of a form."""
_BOUNDS: Final = {
    "ge": "minimum", "gt": "exclusiveMinimum", "le": "maximum", "lt": "exclusiveMaximum",
    "multiple_of": "multipleOf", "min_length": "minLength", "max_length": "maxLength",
}  # fmt: skip
"""The names of bounds in Python, and in JSON Schema."""
_DEEPEST: Final = 20
"""Types below this many others are untyped: a type that holds itself has no end."""


def schema_of_callable(function: Callable[..., Any]) -> tuple[str, str, dict[str, Any]]:
    """Returns name, description (the docstring's first line) and JSON Schema of a callable.

    Raises:
        TypeError: it has no signature that can be read, or no name.
    """
    # A partial has neither a name nor hints of its own: those of the function inside count.
    inner = function
    while isinstance(inner, partial):
        inner = inner.func
    name = getattr(inner, "__name__", None) or type(inner).__name__
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError) as error:
        raise TypeError(f"the callable {name} has no signature to read: {error}") from error
    # An instance that can be called has its hints in its class.
    hints = _hints(inner if hasattr(inner, "__name__") else type(inner).__call__)
    definitions: dict[str, Any] = {}
    properties: dict[str, Any] = {}
    required: list[str] = []
    schema: dict[str, Any] = {"type": "object", "properties": properties}
    docstring = inspect.getdoc(inner) or ""
    notes = described_parameters(docstring)
    for parameter in signature.parameters.values():
        # `*args` has no names that JSON could give.
        if parameter.kind is parameter.VAR_POSITIONAL:
            continue
        # `**kwargs` takes any name.
        if parameter.kind is parameter.VAR_KEYWORD:
            schema["additionalProperties"] = True
            continue
        hint = hints.get(parameter.name, Any)
        described = properties[parameter.name] = _schema_of(hint, definitions)
        # A description in `Annotated[str, "…"]` stands closer to the argument than the docstring.
        if parameter.name in notes and "description" not in described:
            described = properties[parameter.name] = {
                **described, "description": notes[parameter.name]
            }  # fmt: skip
        if parameter.default is parameter.empty:
            required.append(parameter.name)
        # Other defaults, such as a path or a class of the caller's, may be no JSON.
        elif type(parameter.default) in {NoneType, bool, int, float, str}:
            properties[parameter.name] = {**described, "default": parameter.default}
    schema["required"] = required
    if definitions:
        schema["$defs"] = definitions
    lines = docstring.strip().splitlines()
    return name, lines[0].strip() if lines else "", schema


def _hints(function: Any) -> dict[str, Any]:
    """Returns the type hints that can be resolved; one bad name does not cost the others."""
    try:
        return get_type_hints(function, include_extras=True)
    except Exception:  # a hint is any expression, and so fails in any way
        # A hint may be a string with a name that exists only for a type checker.
        found = getattr(inspect.unwrap(function), "__annotations__", {})
        scope = getattr(inspect.unwrap(function), "__globals__", {})
    hints: dict[str, Any] = {}
    for name, hint in found.items():
        try:
            # `get_type_hints` takes no single hint, but a class that has it as its one annotation.
            holder = type("Holder", (), {"__annotations__": {name: hint}})
            hints[name] = get_type_hints(holder, globalns=scope, include_extras=True)[name]
        except Exception:
            hints[name] = Any
    return hints


def _schema_of(hint: Any, definitions: dict[str, Any], depth: int = 0) -> dict[str, Any]:
    """Returns the JSON Schema of a type hint; {} if JSON has no such type."""
    if depth > _DEEPEST:
        return {}
    origin, arguments = get_origin(hint), get_args(hint)
    below = partial(_schema_of, definitions=definitions, depth=depth + 1)
    if origin is Annotated:
        return _annotated(below(arguments[0]), arguments[1:])
    # What a TypedDict requires, its class knows; the hint is the type within.
    if origin in {Required, NotRequired}:
        return below(arguments[0])
    if origin in {Union, UnionType}:
        return {"anyOf": [below(member) for member in arguments]}
    if origin is Literal:
        return _of_members([each.value if isinstance(each, Enum) else each for each in arguments])
    if origin is not None:
        return _of_container(origin, arguments, below)
    return _of_class(hint, definitions, below) if isinstance(hint, type) else {}


def _annotated(schema: dict[str, Any], notes: Iterable[Any]) -> dict[str, Any]:
    """Returns a schema with what notes beside a type say: descriptions, bounds, lengths.

    The notes are strings, or objects of pydantic or annotated-types, known by their attributes.
    """
    found = dict(schema)
    # `Len(1, 5)` beside a list bounds its items, beside a text its characters.
    kind = found.get("type")
    sizes = {"array": "Items", "object": "Properties"}.get(str(kind), "Length")
    for note in notes:
        if isinstance(note, str):
            found.setdefault("description", note)
            continue
        for attribute in ("description", "documentation"):
            text = getattr(note, attribute, None)
            if isinstance(text, str) and text:
                found.setdefault("description", text)
        # The bounds of pydantic's `Field(ge=1)` are objects in its `metadata`; annotated-types'
        # `Ge(1)` is one itself.
        for part in (note, *_list(getattr(note, "metadata", ()))):
            for attribute, keyword in _BOUNDS.items():
                bound = getattr(part, attribute, None)
                # True is an int in Python, and no bound.
                if isinstance(bound, int | float) and not isinstance(bound, bool):
                    found[keyword.replace("Length", sizes)] = bound
            pattern = getattr(part, "pattern", None)
            if isinstance(pattern, str):
                found["pattern"] = pattern
    return found


def _list(value: object) -> list[Any]:
    return list(value) if isinstance(value, list | tuple) else []


def _of_class(
    hint: type, definitions: dict[str, Any], below: Callable[[Any], dict[str, Any]]
) -> dict[str, Any]:
    if hint in _PLAIN:
        return {"type": _PLAIN[hint]}
    if hint in _FORMATS:
        return {"type": "string", "format": _FORMATS[hint]}
    # As a text a decimal keeps the digits that a float would lose.
    if hint is Decimal:
        return {"anyOf": [{"type": "number"}, {"type": "string"}]}
    if issubclass(hint, PurePath):
        return {"type": "string", "format": "path"}
    if issubclass(hint, Enum):
        return _of_members([member.value for member in hint])
    # A pydantic model knows its schema better than its hints tell.
    describe = getattr(hint, "model_json_schema", None)
    if callable(describe):
        schema = dict(describe())
        # References of pydantic point at the root of the whole schema.
        definitions.update(schema.pop("$defs", {}))
        return schema
    # A TypedDict is a subclass of dict at run time: asked later, it would be an object of any keys.
    if is_typeddict(hint):
        required: Iterable[str] = getattr(hint, "__required_keys__", ())
        return _of_fields(_hints(hint), set(required), below)
    if is_dataclass(hint):
        needed = {
            field.name
            for field in fields(hint)
            if field.default is MISSING and field.default_factory is MISSING
        }
        # A field with `init=False` can't be given to the class.
        names = {field.name for field in fields(hint) if field.init}
        hints = {name: each for name, each in _hints(hint).items() if name in names}
        return _of_fields(hints, needed, below)
    return _of_container(hint, (), below)


def _of_fields(
    hints: Mapping[str, Any], required: set[str], below: Callable[[Any], dict[str, Any]]
) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {name: below(hint) for name, hint in hints.items()},
        "required": [name for name in hints if name in required],
    }


def _of_container(
    origin: Any, arguments: tuple[Any, ...], below: Callable[[Any], dict[str, Any]]
) -> dict[str, Any]:
    """Returns the schema of a mapping or of a sequence; {} for any other class."""
    # A string is iterable, but no array.
    if not isinstance(origin, type) or issubclass(origin, str | bytes | bytearray):
        return {"type": "string"} if isinstance(origin, type) and issubclass(origin, str) else {}
    if issubclass(origin, Mapping):
        members = below(arguments[1]) if len(arguments) == 2 else {}
        return {"type": "object", **({"additionalProperties": members} if members else {})}
    # `tuple[int, str]` has a type for each place; `tuple[int, ...]` is an array of one type.
    if issubclass(origin, tuple) and arguments and arguments[-1] is not Ellipsis:
        return {"type": "array", "prefixItems": [below(each) for each in arguments]}
    if issubclass(origin, Iterable) or origin in {list, tuple, set, frozenset}:
        items = below(arguments[0]) if arguments else {}
        return {"type": "array", **({"items": items} if items else {})}
    return {}


def _of_members(values: list[Any]) -> dict[str, Any]:
    """Returns the schema of a list of values, with their type where they have but one."""
    types = {type_of(value) for value in values}
    plain = all(value is None or isinstance(value, str | int | float) for value in values)
    # An Enum may have values of any class, which no JSON can be equal to.
    if not plain:
        return {}
    return {"enum": values, **({"type": types.pop()} if len(types) == 1 else {})}

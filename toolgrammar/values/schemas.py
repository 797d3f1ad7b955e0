"""Reads JSON Schemas: resolves local references and alternatives, and lists the admitted types.

`types_of({"anyOf": [{"type": "string"}, {"type": "null"}]})` is `("string", "null")`.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from typing import Any, Final, NamedTuple, TypeAlias
from urllib.parse import unquote

from toolgrammar.values.json_types import JsonSchema

_TYPE_NAMES: Final = {
    "null": "null", "none": "null", "nonetype": "null",
    "boolean": "boolean", "bool": "boolean",
    "integer": "integer", "int": "integer",
    "number": "number", "float": "number", "double": "number",
    "string": "string", "str": "string",
    "array": "array", "list": "array", "tuple": "array",
    "object": "object", "dict": "object",
}  # fmt: skip
"""The type of JSON Schema for each type name that tool authors write."""

# Tuples are made once, so that a schema with a single type costs only a look-up.
_SINGLE: Final = {name: (standard,) for name, standard in _TYPE_NAMES.items()}
_ALTERNATIVES: Final = ("anyOf", "oneOf")
# Keywords by which a schema may admit other types than its `type` names.
_COMBINING: Final = frozenset({*_ALTERNATIVES, "allOf", "nullable"})
# The keys inside these are names, not keywords: a property may be called `enum`.
_MAPS_OF_SCHEMAS: Final = frozenset(
    {"properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies"}
)
# Keywords that hold data, not schemas: `{"default": {"$ref": "x"}}` has no reference.
_DATA: Final = frozenset(
    {"enum", "const", "default", "examples", "example", "required", "dependentRequired"}
)
# Beside a reference, these keywords do not change which values are admitted.
_ANNOTATIONS: Final = frozenset(
    {"$ref", "title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly"}
)
_DEEPEST: Final = 100
"""The depth below which schemas are not resolved, which keeps recursion within Python's stack."""


_Types: TypeAlias = tuple[str, ...] | None
_Members: TypeAlias = tuple[dict[str, JsonSchema], list[str]]


class Shape(NamedTuple):
    """The names that the schema of a tool's arguments describes."""

    properties: dict[str, JsonSchema]
    """The schema of each argument, with references resolved."""
    required: tuple[str, ...]
    """The names of the required arguments."""
    lone_text: str | None
    """The argument to which a text without a name belongs; None if there is none, or several."""
    others: JsonSchema | None
    """The schema of arguments that have none of their own; None if nothing is said of them."""
    schema: JsonSchema
    """The schema itself, with its references resolved."""

    def schema_of(self, name: str) -> JsonSchema | None:
        """Returns the schema of an argument: its own, or the one that all others have."""
        return self.properties.get(name, self.others)


def shape_of(parameters: object) -> Shape:
    """Returns the names and schemas of the arguments that a schema describes; never raises."""
    if not isinstance(parameters, dict):
        return NO_SHAPE
    whole = resolved(parameters)
    properties, names = _members(whole, {})
    required = tuple(names)
    others = said_of(whole, "additionalProperties")
    # A text without a name can only be the required argument or, if none is required, the one
    # that may be a string.
    texts = [name for name in required or properties if _takes_text(properties.get(name))]
    # With another required argument, a text alone would not be a whole call.
    lone = texts[0] if len(texts) == 1 and len(required) <= 1 else None
    others = others if isinstance(others, dict) else None
    return Shape(properties, required, lone, others, whole)


NO_SHAPE: Final = Shape({}, (), None, None, {})
"""The shape of a schema that says nothing."""


def said_of(schema: JsonSchema, word: str) -> object:
    """Returns the value of a keyword, which may be in the only alternative that has it."""
    if word in schema:
        return schema[word]
    for keyword in (*_ALTERNATIVES, "allOf"):
        parts = schema.get(keyword)
        if not isinstance(parts, list):
            continue
        found = [part[word] for part in parts if isinstance(part, dict) and word in part]
        # `{"anyOf": [{"items": …}, {"type": "null"}]}` has it once; with two, neither is certain.
        if len(found) == 1:
            return found[0]
    return None


def _takes_text(schema: object) -> bool:
    if isinstance(schema, dict) and schema.get("not") == {}:
        return False
    types = types_of(schema)
    return types is None or ("string" in types and set(types) <= {"string", "null"})


def types_of(schema: object) -> tuple[str, ...] | None:
    """Returns the JSON types that a schema admits, in its order; None if it names none.

    A member of a union that names no type counts as a string, which any bare text is.
    """
    if isinstance(schema, dict) and _COMBINING.isdisjoint(schema):
        # A shortcut for nearly every argument of every tool: a tenth of the cost of `_types`.
        kind = schema.get("type")
        # `_SINGLE` has `str` and `int` as well as JSON's own names.
        found = _SINGLE.get(kind) if isinstance(kind, str) else None
        if found is not None:
            return found
    return _types(schema, {}) or None


def admitted_types(schema: object) -> tuple[str, ...] | None:
    """Returns the JSON types that a schema admits; None if a member of a union admits any type."""
    return _types(schema, {}, open_unions=True) or None


def _types(schema: object, known: dict[int, _Types], *, open_unions: bool = False) -> _Types:
    """Returns the types; () for a schema that is already being read, since it refers to itself."""
    if not isinstance(schema, dict):
        return None
    if id(schema) in known:
        return known[id(schema)]
    known[id(schema)] = ()
    found: _Types = None
    for limit in (
        _named(schema.get("type")),
        _of_values(schema),
        *(
            _union(schema[keyword], known, open_unions=open_unions)
            for keyword in _ALTERNATIVES
            if keyword in schema
        ),
        *(_types(part, known, open_unions=open_unions) for part in _list(schema.get("allOf"))),
    ):
        # Each keyword narrows what the others admit; an empty limit does not narrow.
        if limit:
            found = limit if found is None else _both(found, limit)
    if found is None:
        # `{"properties": {…}}` without a type describes an object.
        if "properties" in schema:
            found = ("object",)
        elif "items" in schema or "prefixItems" in schema:
            found = ("array",)
    # OpenAPI 3.0 has no type `null`; it says `"nullable": true`.
    if found is not None and schema.get("nullable") is True and "null" not in found:
        found = (*found, "null")
    known[id(schema)] = found
    return found


def _named(kind: object) -> tuple[str, ...] | None:
    """Returns the types that the keyword `type` names."""
    if isinstance(kind, str):
        # Authors also write `String`.
        name = _TYPE_NAMES.get(kind) or _TYPE_NAMES.get(kind.lower())
        return None if name is None else (name,)
    if not isinstance(kind, list):
        return None
    names = [_TYPE_NAMES.get(each.lower()) for each in kind if isinstance(each, str)]
    return tuple(dict.fromkeys(name for name in names if name is not None)) or None


def _of_values(schema: JsonSchema) -> tuple[str, ...] | None:
    """Returns the types of the values of `enum` or `const`, unless the schema has a `type`."""
    # `{"type": "number", "enum": [1, 2]}` admits numbers, not integers: `type` decides.
    if "type" in schema:
        return None
    values = _list(schema.get("enum")) or ([schema["const"]] if "const" in schema else [])
    return tuple(dict.fromkeys(type_of(value) for value in values)) or None


def type_of(value: object) -> str:
    """Returns the JSON type of a value."""
    match value:
        case None:
            return "null"
        # Before `int`, since `True` is an `int` too.
        case bool():
            return "boolean"
        case int():
            return "integer"
        case float():
            return "number"
        case Mapping():
            return "object"
        case list() | tuple():
            return "array"
        case _:
            return "string"


def is_one_of(value: object, types: Container[str]) -> bool:
    """Returns whether a value has one of some JSON types: 5 is a `number`, and 5.0 an `integer`."""
    found = type_of(value)
    if found in types or (found == "integer" and "number" in types):
        return True
    # JSON Schema counts 5.0 as an integer.
    return isinstance(value, float) and "integer" in types and value.is_integer()


def _union(members: object, known: dict[int, _Types], *, open_unions: bool) -> _Types:
    read = (_types(each, known, open_unions=open_unions) for each in _list(members))
    # A member that refers back to the schema itself adds no types.
    types = [found for found in read if found != ()]
    if all(each is None for each in types) or (open_unions and None in types):
        return None
    return tuple(dict.fromkeys(name for each in types for name in (each or ("string",))))


def _both(left: tuple[str, ...], right: tuple[str, ...]) -> tuple[str, ...]:
    """Returns the types that two limits have in common; the first limit if there are none."""
    # An integer is a number: `number` and `integer` have `integer` in common.
    kept = [name for name in left if name in right or (name == "integer" and "number" in right)]
    if "number" in left and "integer" in right and "integer" not in kept:
        kept.append("integer")
    return tuple(kept) or left


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _members(schema: object, known: dict[int, _Members]) -> _Members:
    """Returns the properties and required names of a schema, with those of its alternatives."""
    if not isinstance(schema, dict):
        return {}, []
    if id(schema) in known:
        return known[id(schema)]
    # Set before the parts are read: a part may refer to the whole schema, and adds nothing then.
    known[id(schema)] = ({}, [])
    own = schema.get("properties")
    properties: dict[str, JsonSchema] = {}
    if isinstance(own, dict):
        properties = {str(name): _as_object(part) for name, part in own.items()}
    required = [name for name in _list(schema.get("required")) if isinstance(name, str)]
    # All parts apply: a name that any of them requires is required.
    for part in _list(schema.get("allOf")):
        # Authors extend a schema by another with `allOf` and a reference.
        more, names = _members(part, known)
        _lay_together(properties, [more], "allOf")
        required += names
    for keyword in _ALTERNATIVES:
        read = [_members(part, known) for part in _list(schema.get(keyword))]
        _lay_together(properties, [more for more, _ in read], "anyOf")
        if read:
            # Only a name that every alternative requires is always required.
            common = set(read[0][1]).intersection(*(names for _, names in read[1:]))
            required += [name for name in read[0][1] if name in common]
    known[id(schema)] = found = (properties, list(dict.fromkeys(required)))
    return found


def _as_object(schema: object) -> JsonSchema:
    """Returns a schema as an object: `true` becomes `{}`, and `false` becomes `{"not": {}}`."""
    if schema is False:
        return {"not": {}}
    return schema if isinstance(schema, dict) else {}


def _lay_together(
    properties: dict[str, JsonSchema], parts: Iterable[dict[str, JsonSchema]], keyword: str
) -> None:
    """Adds the properties of several parts; where parts differ, `keyword` joins their schemas.

    A property that the schema has outside of its alternatives is more general than theirs, and is
    kept.
    """
    found: dict[str, list[JsonSchema]] = {}
    for part in parts:
        for name, schema in part.items():
            known = found.setdefault(name, [])
            # Branches of a union often repeat a property unchanged: it then has one schema.
            if not any(_same(schema, each) for each in known):
                known.append(schema)
    for name, schemas in found.items():
        if name not in properties:
            properties[name] = schemas[0] if len(schemas) == 1 else {keyword: schemas}
        elif keyword == "allOf" and not _same(properties[name], schemas[0]):
            properties[name] = {keyword: [properties[name], *schemas]}


def _same(left: JsonSchema, right: JsonSchema) -> bool:
    try:
        return left is right or left == right
    except RecursionError:  # both schemas contain themselves
        return False


def resolved(schema: JsonSchema) -> JsonSchema:
    """Returns the schema without references; one that refers to itself becomes a cyclic dict."""
    found: JsonSchema = _Resolver(schema).resolved(schema)
    return found


class _Resolver:
    """Replaces the local references of one schema by their targets."""

    def __init__(self, root: JsonSchema) -> None:
        self._root = root
        self._done: dict[int, JsonSchema] = {}

    def resolved(self, schema: Any, depth: int = 0) -> Any:
        """Returns a part of the schema without references."""
        # A schema may come from user input: its depth must not overflow the stack.
        if depth > _DEEPEST:
            return schema
        if isinstance(schema, list):
            return [self.resolved(part, depth + 1) for part in schema]
        if not isinstance(schema, dict):
            return schema
        known = self._done.get(id(schema))
        if known is not None:
            return known
        if isinstance(schema.get("$ref"), str):
            return self._followed(schema, depth)
        # Registered before its parts are resolved, so that a part may refer to the whole.
        copy = self._done[id(schema)] = {}
        for keyword, part in schema.items():
            copy[keyword] = self._part(keyword, part, depth + 1)
        return copy

    def _part(self, keyword: str, part: Any, depth: int) -> Any:
        if keyword in _DATA:
            return part
        if keyword in _MAPS_OF_SCHEMAS and isinstance(part, dict):
            return {name: self.resolved(each, depth) for name, each in part.items()}
        return self.resolved(part, depth)

    def _followed(self, schema: JsonSchema, depth: int) -> JsonSchema:
        """Returns the target of a reference, combined with the keywords beside the reference."""
        target = self._target(schema)
        # No keyword beside the reference narrows it: the target is the whole schema.
        if target is not None and set(schema) <= _ANNOTATIONS:
            found: JsonSchema = self.resolved(target, depth + 1)
            return found
        copy = self._done[id(schema)] = {}
        for keyword, part in schema.items():
            if keyword != "$ref":
                copy[keyword] = self._part(keyword, part, depth + 1)
        # Keywords beside a reference apply too: `{"$ref": "#/$defs/n", "minimum": 3}`.
        if target is not None:
            copy["allOf"] = [self.resolved(target, depth + 1), *_list(copy.get("allOf"))]
        return copy

    def _target(self, schema: JsonSchema) -> JsonSchema | None:
        """Returns the schema at the end of a chain of references; None if the chain is a cycle."""
        passed: set[int] = set()
        target: Any = schema
        while isinstance(target, dict) and isinstance(target.get("$ref"), str):
            # A cycle: `a` refers to `b`, and `b` to `a`.
            if id(target) in passed:
                return None
            # A reference with other keywords is a schema of its own, to be resolved as one.
            if not set(target) <= _ANNOTATIONS and target is not schema:
                return target
            passed.add(id(target))
            target = self._pointed_at(target["$ref"])
        return target if isinstance(target, dict) else None

    def _pointed_at(self, reference: str) -> Any:
        if not reference.startswith("#"):
            return None  # in another document, which is never fetched
        place: Any = self._root
        # As in `#/$defs/a~1b`: `~1` is `/`, `~0` is `~`, and `%20` a blank.
        for step in unquote(reference[1:]).split("/")[1:]:
            key = step.replace("~1", "/").replace("~0", "~")
            if isinstance(place, dict):
                place = place.get(key)
            elif isinstance(place, list) and key.isdecimal() and int(key) < len(place):
                place = place[int(key)]
            else:
                return None
        return place

"""Draws schemas of tools as authors may write them, and arguments for them, and asks what they are.

`python -m fuzz.schemas [--attempts N] [--seed S]`: so many tools. Their schemas have references,
alternatives, conditions, bounds and names by expression. Of arguments that fit and others

- `fits` says what the package `jsonschema` says;
- the engine runs the tool where they fit, as they are or after a conversion that it makes, and only
  there;
- each format that can write them reads them back, and keeps the laws, whole and damaged.

What breaks is printed with the schema. The same seed draws the same. Example: a tool with
`{"properties": {"a": {"$ref": "#/$defs/u"}}, "dependentRequired": {"a": ["b"]}}` and `{"a": 1}`.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from jsonschema import Draft202012Validator

import toolgrammar
from fuzz.grammars import OF_ANY, OF_SOUND, broken, damaged
from toolgrammar import RenderError, ToolCall
from toolgrammar.engine import Engine, Tool
from toolgrammar.testing import Case
from toolgrammar.tools.fits import fits
from toolgrammar.tools.specs import to_specs
from toolgrammar.values.schemas import resolved

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_KEYS: Final = ("a", "b", "path", "n c", "é", "type", "enum")
_TEXTS: Final = (
    "", "a", "x y", "1", "true", "null", "5.0", "None", "[1]", '{"a": 1}', " b ", "line\nline",
    "<x>", '"q"', "it's",
)  # fmt: skip
_TYPES: Final = ("string", "string", "integer", "number", "boolean", "null", "array", "object")
_DEEPEST: Final = 3
_TRIES: Final = 40
"""How often arguments are drawn until some fit."""
_FORMATS: Final = 6
"""In how many formats the arguments of a tool are written."""
_TOLD: Final = 5
"""How many findings are printed."""


def draw_schema(draw: random.Random) -> dict[str, Any]:
    """Draws the schema of a tool's arguments."""
    names = draw.choice(((), ("u",), ("u", "v")))
    schema = {"type": "object", **_members(draw, 0, names)}
    if names:
        schema["$defs"] = {name: _schema(draw, 1, names) for name in names}
    return schema


def draw_arguments(draw: random.Random, schema: dict[str, Any]) -> dict[str, Any]:
    """Draws arguments that are likely to fit a schema."""
    found = _fitting(draw, schema, schema, 0)
    return found if isinstance(found, dict) else {}


def _schema(draw: random.Random, depth: int, names: Sequence[str]) -> Any:
    """Draws a schema.

    Args:
        draw: the source of what is drawn.
        depth: how deep it stands in others.
        names: the names in `$defs`, to which it may refer.
    """
    kind = draw.random()
    if depth < _DEEPEST and kind < 0.12:
        keyword = draw.choice(("anyOf", "oneOf", "allOf"))
        return {keyword: [_schema(draw, depth + 1, names) for _ in range(draw.randrange(1, 4))]}
    if kind < 0.18 and names:
        beside = draw.choice(({}, {}, {"description": "x"}, {"minimum": 2}))
        return {"$ref": f"#/$defs/{draw.choice(names)}", **beside}
    if kind < 0.22:
        return {"enum": [_value(draw, 1) for _ in range(draw.randrange(1, 4))]}
    if kind < 0.25:
        return {"const": _value(draw, 1)}
    if kind < 0.27:
        return draw.choice((True, {}, {"description": "any"}))
    if kind < 0.29 and depth < _DEEPEST:
        return {"not": _schema(draw, depth + 1, names)}
    types = [draw.choice(_TYPES)] if draw.random() < 0.9 else draw.sample(_TYPES[1:], 2)
    schema: dict[str, Any] = {"type": types if len(types) > 1 else types[0]}
    if "string" in types:
        schema |= _rarely(draw, draw.choice(("minLength", "maxLength")), draw.randrange(4))
        schema |= _rarely(draw, "pattern", draw.choice(("^a", "x", "^[0-9]+$", r"\s")))
        schema |= _rarely(draw, "enum", draw.sample(_TEXTS, 3))
    if "integer" in types or "number" in types:
        bounds = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum")
        schema |= _rarely(draw, draw.choice(bounds), draw.choice((0, 1, 2.5, 5)))
        schema |= _rarely(draw, "multipleOf", draw.choice((2, 0.5)))
    if "array" in types and depth < _DEEPEST:
        schema |= _items(draw, depth, names)
    if "object" in types and depth < _DEEPEST:
        schema |= _members(draw, depth, names)
    return schema


def _rarely(draw: random.Random, keyword: str, value: object) -> dict[str, object]:
    return {keyword: value} if draw.random() < 0.15 else {}


def _items(draw: random.Random, depth: int, names: Sequence[str]) -> dict[str, Any]:
    """Draws what a schema says of the items of an array."""
    items: dict[str, Any] = {}
    if draw.random() < 0.7:
        items["items"] = _schema(draw, depth + 1, names)
    first = [_schema(draw, depth + 1, names) for _ in range(draw.randrange(1, 3))]
    items |= _rarely(draw, "prefixItems", first)
    items |= _rarely(draw, draw.choice(("minItems", "maxItems")), draw.randrange(3))
    items |= _rarely(draw, "uniqueItems", value=True)
    if draw.random() < 0.1:
        items["contains"] = _schema(draw, _DEEPEST, names)
        items |= _rarely(draw, draw.choice(("minContains", "maxContains")), draw.randrange(3))
    return items


def _members(draw: random.Random, depth: int, names: Sequence[str]) -> dict[str, Any]:
    """Draws what a schema says of the members of an object."""

    def inner() -> Any:
        return _schema(draw, depth + 1, names)

    keys = draw.sample(_KEYS, draw.randrange(4))
    members: dict[str, Any] = {}
    if draw.random() < 0.9:
        members["properties"] = {key: inner() for key in keys}
    if keys and draw.random() < 0.5:
        members["required"] = draw.sample(keys, draw.randrange(1, len(keys) + 1))
    if draw.random() < 0.4:
        members["additionalProperties"] = draw.choice((False, True, inner()))
    members |= _rarely(draw, "patternProperties", {"^a": inner()})
    members |= _rarely(draw, draw.choice(("minProperties", "maxProperties")), draw.randrange(3))
    wanted = ({"pattern": "^[a-n]"}, {"maxLength": 3}, {"enum": ["a", "b"]})
    if draw.random() < 0.25:
        keyword, value = draw.choice((
            ("propertyNames", draw.choice(wanted)),
            ("dependentRequired", {draw.choice(_KEYS): [draw.choice(_KEYS)]}),
            ("dependentSchemas", {draw.choice(_KEYS): inner()}),
            ("if", {"properties": {draw.choice(_KEYS): inner()}}),
        ))  # fmt: skip
        members[keyword] = value
        if keyword == "if":
            members["then"] = {"required": [draw.choice(_KEYS)]}
            members |= _rarely(draw, "else", inner())
    return members


def _value(draw: random.Random, depth: int) -> Any:
    """Draws a JSON value."""
    kind = draw.random()
    if depth < 2 and kind < 0.2:
        return [_value(draw, depth + 1) for _ in range(draw.randrange(3))]
    if depth < 2 and kind < 0.4:
        return {draw.choice(_KEYS): _value(draw, depth + 1) for _ in range(draw.randrange(3))}
    number = draw.choice((draw.randrange(-3, 9), float(draw.randrange(9)), draw.randrange(9) / 2))
    return draw.choice((None, True, False, number, 1e20, draw.choice(_TEXTS), draw.choice(_TEXTS)))


def _fitting(draw: random.Random, schema: Any, root: dict[str, Any], depth: int) -> Any:
    """Draws a value that is likely to fit a schema, whose references are those of `root`."""
    if not isinstance(schema, dict) or depth > 2 * _DEEPEST:
        return _value(draw, 1)
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return _fitting(draw, root["$defs"][name], root, depth + 1)
    if "const" in schema:
        return schema["const"]
    if "enum" in schema:
        return draw.choice(schema["enum"])
    for keyword in ("anyOf", "oneOf", "allOf"):
        if keyword in schema:
            return _fitting(draw, draw.choice(schema[keyword]), root, depth + 1)
    types = schema.get("type")
    return _of_type(
        draw, draw.choice(types) if isinstance(types, list) else types, schema, root, depth
    )


def _of_type(
    draw: random.Random, name: str | None, schema: dict[str, Any], root: dict[str, Any], depth: int
) -> Any:
    def inner(part: Any) -> Any:
        return _fitting(draw, part, root, depth + 1)

    match name:
        case "string":
            return draw.choice(_TEXTS)
        case "integer":
            return draw.randrange(-3, 9)
        case "number":
            return draw.choice((draw.randrange(-3, 9), draw.randrange(9) / 2))
        case "boolean":
            return draw.random() < 0.5
        case "null":
            return None
        case "array":
            first = [inner(part) for part in schema.get("prefixItems", ())]
            return first + [inner(schema.get("items", True)) for _ in range(draw.randrange(3))]
        case "object":
            needed = schema.get("required", ())
            members = {
                key: inner(part)
                for key, part in schema.get("properties", {}).items()
                if key in needed or draw.random() < 0.6
            }
            return members | ({draw.choice(_KEYS): _value(draw, 1)} if draw.random() < 0.15 else {})
        case _:
            return _value(draw, 1)


def misjudged(draw: random.Random) -> Iterator[str]:
    """Draws a tool and yields arguments that are taken or refused against its schema."""
    schema = draw_schema(draw)
    oracle = Draft202012Validator(schema)
    plain = resolved(schema)
    given: list[dict[str, Any]] = []
    tool = Tool(lambda **arguments: given.append(arguments), schema=_tool(schema))
    engine = Engine([tool])
    for _ in range(4):
        value = draw_arguments(draw, schema) if draw.random() < 0.8 else _value(draw, 0)
        is_valid = _is_valid(oracle, value)
        if is_valid is None:
            continue
        if fits(value, plain) is not is_valid:
            yield f"fits is {not is_valid}: {json.dumps(value)} by {json.dumps(schema)}"
        if not isinstance(value, dict):
            continue
        given.clear()
        engine.run_sync(ToolCall("f", value))
        if not given and is_valid:
            yield f"the engine refuses {json.dumps(value)} by {json.dumps(schema)}"
        if given and not _is_valid(oracle, given[0]):
            yield f"the engine runs {json.dumps(given[0])} by {json.dumps(schema)}"


def misread(draw: random.Random) -> Iterator[str]:
    """Draws a tool and yields what breaks a law where formats write and read arguments for it."""
    schema = draw_schema(draw)
    oracle = Draft202012Validator(schema)
    drawn = (draw_arguments(draw, schema) for _ in range(_TRIES))
    arguments = next((each for each in drawn if _is_valid(oracle, each)), None)
    if arguments is None:
        return
    tools = tuple(to_specs([_tool(schema)]).values())
    call = ToolCall("f", arguments)
    for form in draw.sample([*toolgrammar.formats.values()], _FORMATS):
        try:
            wire = form.render([call], tools=tools)
        except RenderError:
            continue
        case = Case("drawn", form, wire, tools=tools)
        found = [*broken(case, OF_SOUND)]
        text = damaged(wire, draw)
        found += broken(replace(case, text=text, tier="malformed"), OF_ANY)
        yield from (f"{form.id}, {each} by {json.dumps(schema)}" for each in found)


def _is_valid(oracle: Draft202012Validator, value: object) -> bool | None:
    """Whether a value is valid; None if the oracle can't say, as where a reference means itself."""
    try:
        return bool(oracle.is_valid(value))
    except RecursionError:
        return None


def _tool(schema: dict[str, Any]) -> dict[str, Any]:
    return {"name": "f", "parameters": schema}


def main() -> int:
    """Draws the tools, prints what broke, and returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--attempts", type=int, default=1000)
    parser.add_argument("--seed", default="")
    given = parser.parse_args()
    found = [
        each
        for attempt in range(given.attempts)
        for asked in (misjudged, misread)
        for each in asked(random.Random(f"{given.seed} {attempt}"))
    ]
    print(*found[:_TOLD], sep="\n")
    print(f"{given.attempts} tools drawn, {len(found)} promises broken")
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())

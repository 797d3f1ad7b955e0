"""Finds the ways in which the arguments of a call break the schema of their tool.

`{"city": 5}`, where `city` is a string and `days` is required, breaks it in two ways: `type` and
`missing`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from toolgrammar.tools.fits import fits
from toolgrammar.values.schemas import admitted_types, is_one_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from toolgrammar.values.tools import ToolSpec

KINDS: Final = {
    "missing": "a required argument is not there",
    "undeclared": "an argument is none that the tool declares",
    "type": "a value has another type",
    "enum": "a value is none of those listed",
    "value": "a value breaks another rule: a bound, a pattern, a part of it",
}
"""The kinds of break, each with its meaning."""


def breaks(arguments: Mapping[str, Any], spec: ToolSpec) -> tuple[str, ...]:
    """Returns the kinds of break, each once; none if the schema is satisfied.

    A schema that says nothing of other arguments admits them in JSON Schema; a tool has no use for
    one that it does not declare, so it counts unless `additionalProperties` admits it.
    """
    if spec.parameters is None:
        return ()
    found = {"missing"} if any(name not in arguments for name in spec.required) else set()
    properties = spec.properties
    # `{"type": "object"}` without `properties` lists no arguments, so any may be given;
    # `{"properties": {}}` lists them and has none, so each is undeclared.
    is_open = bool(spec.parameters.get("additionalProperties")) or not (
        properties or "properties" in spec.parameters
    )
    for name, value in arguments.items():
        if name in properties:
            found.add(_break_of(value, properties[name]))
        # With `patternProperties` the names are rules; the whole schema, below, says if they hold.
        elif not is_open and not spec.parameters.get("patternProperties"):
            found.add("undeclared")
    # What only all arguments together break, such as `anyOf` at the top.
    if not found - {""} and not fits(dict(arguments), spec.shape.schema):
        found.add("value")
    # In the order of `KINDS`, since that of a set differs between runs; "" is dropped here.
    return tuple(kind for kind in KINDS if kind in found)


def _break_of(value: object, schema: Any) -> str:
    """Returns the kind of break of one value; "" if it fits."""
    if fits(value, schema):
        return ""
    types = admitted_types(schema)
    # The type comes first: a number where the enum lists texts is a wrong type, not a wrong
    # choice.
    if types is not None and not is_one_of(value, types):
        return "type"
    return (
        "enum" if isinstance(schema, dict) and ("enum" in schema or "const" in schema) else "value"
    )

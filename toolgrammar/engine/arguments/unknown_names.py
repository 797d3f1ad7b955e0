"""Makes types refuse names that none of their fields has, at any depth.

Pydantic alone drops them: of `{"street": "Main St", "ciy": "Rome"}` for an `Address` with a default
for `city`, the city would be lost. A type whose author decides otherwise is left as it is, so the
schemas are changed: pydantic's own `validate_python(…, extra="forbid")` overrules every type.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Final

from toolgrammar.engine.arguments.core_schemas import rebuilt

if TYPE_CHECKING:
    from collections.abc import Mapping

UNEXPECTED: Final = "unexpected argument"
_OWN_CONFIG: Final = frozenset({"model", "dataclass", "typed-dict"})
"""The schemas that say in their own config what becomes of unknown names."""
_FREE: Final = "\x00free"
"""Marks the references to types whose values the author's code has seen."""
# What pydantic itself puts around the items of `Sequence[Address]`, among others.
_PYDANTIC: Final = "pydantic._internal._validators"


def closed(schema: Mapping[str, Any], *, free: bool = False) -> dict[str, Any]:
    """Returns a copy of a core schema that refuses unknown names where they are sure to be lost.

    Args:
        schema: the core schema of a type.
        free: whether code of the type's author sees the value first: it may read any name, and
            leave it there.
    """
    below = free or _is_seen_first(schema)
    copy = rebuilt(schema, partial(closed, free=below))
    kind = schema.get("type")
    if free:
        # A type may occur both below such code and elsewhere: then it has two definitions.
        for key in ("ref", "schema_ref"):
            if key in copy:
                copy[key] += _FREE
    elif kind == "definitions":
        copy["definitions"] += [closed(each, free=True) for each in schema["definitions"]]
    elif kind in _OWN_CONFIG and not below and not _has_path(schema):
        # Of the config the explicit settings are here, not the defaults.
        copy["config"] = {"extra_fields_behavior": "forbid", **schema.get("config", {})}
        # Pydantic writes its default into each typed dict, too, where it has precedence.
        if schema.get("extra_behavior") == "ignore":
            del copy["extra_behavior"]
    return copy


def _is_seen_first(schema: Mapping[str, Any]) -> bool:
    """Whether code of the type's author sees a value before its fields are read."""
    match schema.get("type"):
        case "function-before" | "function-wrap":
            return not _is_pydantics(schema["function"]["function"])
        # Its validators of mode `before` stand inside of a model.
        case "model" | "dataclass" | "function-after":
            return _is_seen_first(schema["schema"])
        case "tagged-union":
            return callable(schema["discriminator"])
        # Each step of a chain reads what the one before it made; the type of a list, as in
        # `Sequence[Address]`, is only looked at.
        case "chain":
            return any(step["type"] != "is-instance" for step in schema["steps"][:-1])
        case _:
            return False


def _is_pydantics(function: Any) -> bool:
    inner = function.func if isinstance(function, partial) else function
    return getattr(inner, "__module__", None) == _PYDANTIC


def _has_path(schema: Mapping[str, Any]) -> bool:
    """Whether a field is read by an `AliasPath`.

    If there is nothing at the end of the path, pydantic takes the name at its beginning for unknown.
    """
    while isinstance(schema.get("schema"), dict):
        schema = schema["schema"]
    fields = schema.get("fields", ())
    aliases = [
        field.get("validation_alias")
        for field in (fields.values() if isinstance(fields, dict) else fields)
    ]
    return any(
        # One path is a list, several are a list of lists; a name may be a path of one step.
        isinstance(alias, list) and any(isinstance(step, str) or len(step) > 1 for step in alias)
        for alias in aliases
    )

"""Fits values to the JSON Schema of a tool's argument.

For `{"type": "integer"}`, `"5"` becomes 5; for `{"type": "boolean"}`, `"yes"` stays and does not
fit.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from toolgrammar.engine.arguments.number_forms import is_integer, is_number
from toolgrammar.engine.outcomes.text_json import compact_json
from toolgrammar.tools.fits import same
from toolgrammar.values.schemas import admitted_types, is_one_of

if TYPE_CHECKING:
    from toolgrammar.values.json_types import JsonSchema

_VALUES: Final[dict[str, list[Any]]] = {"null": [None], "boolean": [True, False]}
"""The types with few values, which can be listed like an `enum`."""


@dataclass(frozen=True, slots=True)
class Expected:
    """What a schema expects of a value at its top level; nested values are not checked."""

    types: tuple[str, ...] | None
    """The types that it admits; None if it names none."""
    listed: list[Any] | None
    """The values that it admits; None if it lists none."""

    @classmethod
    def of(cls, schema: object) -> Expected:
        """Returns what a schema expects."""
        return cls(admitted_types(schema), _listed(schema, {}))

    def fitted(self, value: Any) -> tuple[Any, str]:
        """Returns the value converted to an admitted type, and the problem, or "" if it fits."""
        types, listed = self.types, self.listed
        # Before any conversion: if `"5"` itself is listed, it stays a text.
        if listed is not None and _is_among(value, listed):
            return value, ""
        if types is not None and not _is_one_of(value, types):
            value, found = _converted(value, types)
            if not found:
                return value, f"Input should be {_choice([_article(each) for each in types])}"
        if listed is None or _is_among(value, listed):
            return value, ""
        # A text may stand for another listed type: `"true"`, if `"auto"` and booleans are listed.
        other, found = _converted(value, types or ())
        if found and _is_among(other, listed):
            return other, ""
        return value, f"Input should be {_choice([compact_json(each) for each in listed])}"


def _listed(schema: object, known: dict[int, list[Any] | None]) -> list[Any] | None:
    """Returns all values that a schema admits; None if it does not list them.

    The list may be inside `anyOf`, for an optional choice, or `allOf`, beside an annotation.
    """
    if not isinstance(schema, dict):
        return None  # the schema `true` admits any value
    if id(schema) in known:  # None for one that is being read already, since it contains itself
        return known[id(schema)]
    known[id(schema)] = None
    lists = [_own(schema)]
    for keyword in ("anyOf", "oneOf"):
        branches = [_listed(each, known) for each in _schemas(schema, keyword)]
        if branches and None not in branches:
            values = [value for each in branches for value in each or ()]
            # Each value once, by its JSON text: lists and dicts have no hash.
            lists.append(list({compact_json(value): value for value in values}.values()))
    lists += [_listed(each, known) for each in _schemas(schema, "allOf")]
    there = [each for each in lists if each is not None]
    if not there:
        return None
    # A value has to be in every list: `anyOf` beside an `enum` narrows it.
    found = [value for value in there[0] if all(_is_among(value, each) for each in there[1:])]
    # OpenAPI admits null with `nullable`; JSON Schema does with `type`.
    if schema.get("nullable") is True:
        found.append(None)
    known[id(schema)] = found
    return found


def _own(schema: JsonSchema) -> list[Any] | None:
    """Returns the values of a schema's `enum` or `const`, or all values of its type."""
    listed = schema.get("enum")
    if isinstance(listed, list) and listed:
        return listed
    if "const" in schema:
        return [schema["const"]]
    return _VALUES.get(str(schema.get("type")))


def _schemas(schema: JsonSchema, keyword: str) -> list[Any]:
    parts = schema.get(keyword)
    return parts if isinstance(parts, list) else []


def _is_among(value: Any, listed: list[Any]) -> bool:
    return any(same(value, each) for each in listed)


def _is_one_of(value: Any, types: tuple[str, ...]) -> bool:
    # 5.0 is an integer too, but has to be converted to 5.
    return is_one_of(value, types) and (not isinstance(value, float) or "number" in types)


def _converted(value: Any, types: tuple[str, ...]) -> tuple[Any, bool]:
    """Returns a value converted to one of the types, and whether that was possible."""
    for name in types:
        if isinstance(value, float) and name == "integer" and value.is_integer():
            return int(value), True
        # Otherwise only texts are converted: in formats without types, 5 is written as `5`.
        if not isinstance(value, str):
            continue
        # `"5"` for a number is 5, not 5.0, as JSON reads it.
        if name in {"integer", "number"} and is_integer(value):
            try:
                return int(value), True
            except ValueError:  # longer than Python reads
                return value, False
        if name == "number" and is_number(value):
            return float(value), True
        # The length is tested first, to avoid copying a long text to lower case.
        if name == "boolean" and len(value) <= 5 and value.lower() in {"true", "false"}:
            return value.lower() == "true", True
    return value, False


def _article(name: str) -> str:
    return "null" if name == "null" else f"a valid {name}"


def _choice(words: list[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"

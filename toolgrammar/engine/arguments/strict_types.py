"""Makes pydantic's lax conversions stricter, at any depth of a type, and reports what does not fit.

Pydantic's core schema of a type is plain data. A check of the accepted forms is inserted before each
part of it that reads a number or a boolean, also in types inside other models.

For `int`, the text `5` is accepted, but neither `5.0` nor `true`, which pydantic alone would accept.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from enum import Enum
from functools import partial
from numbers import Number
from typing import TYPE_CHECKING, Any, Final, get_args

from pydantic_core import PydanticCustomError, PydanticKnownError, SchemaValidator, core_schema

from toolgrammar.engine.arguments.core_schemas import parts, rebuilt
from toolgrammar.engine.arguments.number_forms import is_integer, is_number
from toolgrammar.engine.arguments.unknown_names import UNEXPECTED, closed

if TYPE_CHECKING:
    from pydantic import BaseModel, ValidationError
    from pydantic_core import ErrorDetails

_LARGE: Final = 2.0**63
_MEMBER: Final = "\x00member"
"""Marks the labels of union members in a location; no key of an argument begins with it."""
_UNKNOWN_NAMES: Final = frozenset({"extra_forbidden", "unexpected_keyword_argument"})
# Errors with a text of the validator's author, which may quote the value.
_OWN_TEXT: Final = frozenset({"value_error", "assertion_error"})
_WITH_DETAILS: Final = frozenset(
    {
        "byte_size_unit", "bytes_invalid_encoding", "datetime_object_invalid",
        "get_attribute_error", "import_error", "iteration_error", "json_invalid", "mapping_type",
        "timezone_offset", "uuid_parsing",
    }
)  # fmt: skip
"""The errors of pydantic whose text ends with a piece of the input."""
_NO_BOOLEAN: Final = "no_boolean"
_KNOWN: Final = frozenset({*get_args(core_schema.ErrorType), _NO_BOOLEAN})
# Before these words pydantic quotes the input; after them come tags of the schema.
_TAGS: Final = "does not match any of the expected tags: "


class StrictModel:
    """A model of pydantic that reads with the engine's strictness."""

    def __init__(self, model: type[BaseModel]) -> None:
        self.model = model
        schema = model.__pydantic_core_schema__
        if not isinstance(schema, dict):  # a placeholder: the model has a forward reference
            model.model_rebuild(force=True)
            schema = model.__pydantic_core_schema__
        self._names = frozenset(_names(schema))
        # A tag that is also the name of a field may be a place in the data, and counts as one.
        self._tags = frozenset(_tags(schema)) - self._names
        # Without prebuilt validators: those of inner models lack the checks.
        validator = SchemaValidator(_tightened(closed(schema)), _use_prebuilt=False)
        self.validate: Callable[[dict[str, Any]], Any] = validator.validate_python

    def problems(self, error: ValidationError, arguments: Mapping[str, Any]) -> list[str]:
        """Returns a line for each problem, with its place; lines contain no values of arguments."""
        found = error.errors(include_input=False, include_url=False, include_context=False)
        # A dict drops duplicates: the members of a union often report the same problem.
        return list(dict.fromkeys(self._problem(each, arguments) for each in found))

    def _problem(self, error: ErrorDetails, arguments: Mapping[str, Any]) -> str:
        location = error["loc"]
        if error["type"] not in _UNKNOWN_NAMES:
            said = self._place(location, arguments), _why(error, arguments)
            return ": ".join(filter(None, said))
        # The name itself is what the model has to mend, as at the top.
        *above, name = location
        place = self._place(tuple(above), arguments)
        return ".".join(filter(None, (place, str(name)))) + f": {UNEXPECTED}"

    def _place(self, location: tuple[int | str, ...], arguments: Mapping[str, Any]) -> str:
        """Returns a location of parameters, fields and list indexes; any other key is `*`."""
        steps: list[str] = []
        place: Any = arguments
        for step in location:
            # The label or tag of a union's member is not a place in the data.
            if isinstance(step, str) and self._is_label(step, place):
                continue
            if isinstance(step, int) and isinstance(place, list | tuple):
                steps.append(str(step))
                place = place[step] if step < len(place) else None
            else:
                # A key that the model made up is not repeated: it may contain a secret.
                steps.append(str(step) if step in self._names else "*")
                place = place.get(step) if isinstance(place, Mapping) else None
        return ".".join(steps)

    def _is_label(self, step: str, place: Any) -> bool:
        """Whether a step of a location names a way to read, not a place in the data."""
        # If the data has a key of this name, the step is a place in the data.
        if isinstance(place, Mapping) and step in place:
            return False
        return step.startswith(_MEMBER) or step == "[key]" or step in self._tags


def _tightened(schema: Mapping[str, Any]) -> Any:
    """Returns a copy of a core schema with the checks inserted."""
    copy = rebuilt(schema, _tightened)
    kind = copy.get("type")
    # Pydantic labels members with names of types, such as `str`, which may also be keys.
    if kind == "union":
        copy["choices"] = [
            (choice[0] if isinstance(choice, tuple) else choice, f"{_MEMBER}{index}")
            for index, choice in enumerate(copy["choices"])
        ]
    if kind == "generator":
        # Pydantic validates a generator lazily: errors would be raised inside the tool.
        copy["type"] = "list"
    check = _check_of(copy) if isinstance(kind, str) else None
    if check is None:
        return copy
    # The reference moves to the outer schema, or it would bypass the check.
    reference = copy.pop("ref", None)
    return core_schema.no_info_before_validator_function(check, copy, ref=reference)


def _check_of(schema: dict[str, Any]) -> Callable[[Any], Any] | None:
    """Returns the check that runs before pydantic reads a value; None if there is none."""
    match schema["type"]:
        case "int":
            return _whole
        case "float":
            return _number
        case "bool":
            return _boolean
        # All of these accept numbers, and `True` is the number 1 in Python.
        case "decimal" | "complex" | "date" | "datetime" | "time" | "timedelta":
            return _no_boolean
        case "enum":
            return partial(_listed, tuple(member.value for member in schema["members"]))
        case "literal":
            return partial(_listed, tuple(_plain(each) for each in schema["expected"]))
        case _:
            return None


def _plain(value: Any) -> Any:
    return value.value if isinstance(value, Enum) else value


def _whole(value: Any) -> Any:
    if type(value) is int:
        return value
    # Pydantic's own reading takes `True` for 1.
    if isinstance(value, bool):
        raise PydanticKnownError("int_type")
    if type(value) is float and abs(value) >= _LARGE and value.is_integer():
        return int(value)  # pydantic itself reads such a float as far as 64 bits
    # Pydantic's own reading takes `"1_000"`, `" 5 "` and `"5.0"`, too.
    if isinstance(value, str) and not is_integer(value):
        raise PydanticKnownError("int_parsing")
    return value


def _number(value: Any) -> Any:
    if isinstance(value, bool):
        # `true` is not a number, though pydantic may take it for 1.0.
        raise PydanticKnownError("float_type")
    if isinstance(value, str) and not is_number(value):
        raise PydanticKnownError("float_parsing")
    return value


def _boolean(value: Any) -> Any:
    if isinstance(value, bool):
        return value
    if not isinstance(value, str):
        raise PydanticKnownError("bool_type")
    # Pydantic's own reading takes `"yes"`, `"on"` and `"1"`, too.
    if len(value) > 5 or value.lower() not in {"true", "false"}:
        raise PydanticKnownError("bool_parsing")
    return value


def _no_boolean(value: Any) -> Any:
    if isinstance(value, bool):
        raise PydanticCustomError(_NO_BOOLEAN, "Input should not be a boolean")
    return value


def _listed(members: tuple[Any, ...], value: Any) -> Any:
    """Refuses values that equal a member of a `Literal` only by Python's rules.

    In Python `True == 1`. Also refuses the text of a number that is not in canonical form.
    """
    numbers = any(_is_number(member) for member in members)
    if isinstance(value, bool):
        if numbers and not any(isinstance(member, bool) for member in members):
            raise PydanticKnownError("int_type")
    elif _is_number(value):
        equal = [member for member in members if member == value]
        if equal and not any(_is_number(member) for member in equal):
            raise PydanticKnownError("bool_type")
    elif (
        isinstance(value, str)
        and numbers
        and not is_number(value)
        # Among numbers alone, only a number's own text may stand for one.
        and not any(isinstance(member, str) for member in members)
    ):
        raise PydanticKnownError("int_parsing")
    return value


def _is_number(value: Any) -> bool:
    return isinstance(value, Number) and not isinstance(value, bool)


def _names(schema: Any) -> Iterator[str]:
    """Yields the names and aliases of all fields in a schema."""
    if isinstance(schema, list | tuple):
        for part in schema:
            yield from _names(part)
    if not isinstance(schema, dict):
        return
    fields = schema.get("fields")
    if isinstance(fields, dict):
        yield from fields
    for key in ("name", "alias", "validation_alias"):
        yield from _strings(schema.get(key))
    for part in parts(schema):
        yield from _names(part)


def _tags(schema: Any) -> Iterator[str]:
    """Yields the tags of all tagged unions in a schema."""
    if isinstance(schema, list | tuple):
        for part in schema:
            yield from _tags(part)
    if isinstance(schema, dict):
        if schema.get("type") == "tagged-union":
            yield from map(str, schema["choices"])
        for part in parts(schema):
            yield from _tags(part)


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for part in value:
            yield from _strings(part)


def _why(error: Mapping[str, Any], arguments: Mapping[str, Any]) -> str:
    """Returns the text of an error of pydantic, without values of the arguments."""
    kind, text = str(error["type"]), str(error["msg"])
    if kind == "union_tag_invalid":
        return f"Input tag {_TAGS}{text.rpartition(_TAGS)[2]}"
    if kind in _WITH_DETAILS:
        return text.partition(", ")[0].partition(": ")[0]
    if kind in _OWN_TEXT or kind not in _KNOWN:
        return masked(text, arguments)
    return text


def masked(text: str, arguments: Any) -> str:
    """Returns a text in which each argument of four or more characters is `***`."""
    # Longest first, since one value may be part of another.
    values = sorted({each for each in _texts(arguments) if each in text}, key=len, reverse=True)
    return re.sub("|".join(map(re.escape, values)), "***", text) if values else text


def _texts(value: Any) -> Iterator[str]:
    """Yields the texts of the strings and numbers in a value, if four or more characters long."""
    pending = [value]
    while pending:
        part = pending.pop()
        if isinstance(part, Mapping):
            pending += part.keys()
            pending += part.values()
        elif isinstance(part, list | tuple):
            pending += part
        elif isinstance(part, str):
            # Shorter ones occur in a message by chance: `of`, `int`, `1`.
            yield from (each for each in {part, part.strip(), repr(part)[1:-1]} if len(each) >= 4)
        elif isinstance(part, int | float) and not isinstance(part, bool) and len(str(part)) >= 4:
            yield str(part)

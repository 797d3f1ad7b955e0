"""Converts a bare text to the type of its schema.

`5` is 5 for an integer and "5" for a string; `[1, 2]` is a list for an array; `abc` stays text.
"""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any, Final

from toolgrammar.tools.json_tokens import ANY_HALF, HALVES, INTEGER, MAX_DIGITS, NUMBER
from toolgrammar.values.patterns import late
from toolgrammar.values.schemas import type_of, types_of

if TYPE_CHECKING:
    from toolgrammar.values.json_types import JsonSchema, JsonValue

MAX_DEPTH: Final = 200
"""Lists and dicts inside each other; what is deeper stays text."""

_INTEGER = late(INTEGER)
_NUMBER = late(NUMBER)
_SURROGATE = late(rf"{ANY_HALF}|[{HALVES}]")
_BOOLEANS: Final = {"true": True, "false": False}
_NULLS: Final = frozenset({"null", "None"})
_UNTYPED: Final = ("string",)


def type_text(text: str, schema: JsonSchema | None) -> tuple[JsonValue, bool]:
    """Returns the value that a text is by its schema, and whether it fits; never raises.

    A string is the text exactly; for every other type white space around it does not count. Of
    several types null is tried first and string last. A text that fits none of them stays text.
    Whether the value is one of an `enum`, or within bounds, is not judged.
    """
    types = (types_of(schema) if schema else None) or _UNTYPED
    # Nearly every argument is a string: this way has to be short.
    if types == _UNTYPED:
        return text, True
    stripped = text.strip()
    # Models write Python's `None` as well as `null`.
    if "null" in types and stripped in _NULLS:
        return None, True
    if "string" in types and _is_listed(text, schema):
        return text, True
    for name in types:
        if name == "integer" or name == "number":  # noqa: PLR1714 - no set is built per value
            number = _number(stripped)
            # `5.0` is an integer as well, and stays 5.0.
            if number is not None and (name == "number" or number == math.floor(number)):
                return number, True
        elif name == "boolean":
            # Longer text can't be one: don't lower a whole file to find that out.
            word = stripped.lower() if len(stripped) <= 5 else ""
            if word in _BOOLEANS:
                return _BOOLEANS[word], True
        elif name == "array" or name == "object":  # noqa: PLR1714 - as above
            value = _container(stripped, name)
            # Where a string is welcome too, the text with its backslashes is one.
            if value is None and "string" not in types:
                value = _container(_unescaped(stripped), name)
            if value is not None:
                return value, True
    return text, "string" in types


def is_text_only(schema: JsonSchema | None) -> bool:
    """Whether a value is a string whatever its text is, so that it can stream before its end."""
    return (types_of(schema) if schema else None) in (None, _UNTYPED)


def _is_listed(text: str, schema: JsonSchema | None) -> bool:
    """Whether `enum` lists the text itself: `"1"` among names is not a number."""
    listed = schema.get("enum") if schema else None
    return isinstance(listed, list) and any(text == each for each in listed if type(each) is str)


def _number(text: str) -> int | float | None:
    """Returns the number of a JSON text; None if it is not one, or infinite."""
    if _NUMBER.fullmatch(text) is None:
        return None
    # Too many digits, or infinite: no number that every reader has.
    try:
        return _integer(text) if _INTEGER.fullmatch(text) else _finite(text)
    except ValueError:
        return None


def _container(text: str, name: str) -> Any:
    """Returns the list or dict that a text is, as JSON or as a Python literal, or None."""
    opener = "{" if name == "object" else "["
    # As JSON first: `[true]` is not Python.
    if text.startswith(opener):
        value = _json(text)
        if value is not None:
            return value
    # A tuple or a set may be what was meant by an array: `(1, 2)`, `{1, 2}`.
    if text[:1] not in {opener, "(", "{"}:
        value = None
    else:
        from toolgrammar.tools.python_literals import read_literal  # few messages need it

        value = read_literal(text, MAX_DEPTH)
    return value if value is not None and type_of(value) == name else None


def _unescaped(text: str) -> str:
    r"""Returns the text that another one is with the escapes of a JSON string, or "".

    Models escape a list or an object, with quotes around it or without: `[{\"id\": 1}]`.
    """
    if '\\"' not in text:
        return ""
    inner = _json(text if text.startswith('"') else f'"{text}"')
    return inner.strip() if type(inner) is str else ""


def _json(text: str) -> Any:
    """Returns the value of a JSON text, in whose strings line ends may stand; or None."""
    # Half a surrogate pair can't be written as UTF-8; an escaped half may have the other beside it.
    if _SURROGATE.search(text) is not None and not _is_unicode(text):
        return None
    try:
        value = _DECODER.decode(text)
    except (ValueError, RecursionError):
        return None
    # Most values have few brackets in all: no need to go through their parts.
    flat = text.count("[") + text.count("{") <= MAX_DEPTH or _is_flat(value)
    return value if flat else None


def _is_unicode(text: str) -> bool:
    """Whether no string of a JSON text has half a surrogate pair."""
    try:
        json.dumps(_DECODER.decode(text), ensure_ascii=False).encode()
    except (ValueError, RecursionError):
        return False
    return True


def _is_flat(value: Any) -> bool:
    """Whether a value is nested no deeper than `MAX_DEPTH`."""
    layer = [value]
    # Layer by layer, without recursion: it asks whether recursion is safe.
    for _ in range(MAX_DEPTH):
        layer = [
            part
            for holder in layer
            for part in (holder.values() if type(holder) is dict else holder)
            if type(part) is dict or type(part) is list
        ]
        if not layer:
            return True
    return False


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(text)
    return value


def _integer(text: str) -> int:
    if len(text) - text.startswith("-") > MAX_DIGITS:
        raise ValueError(text)
    return int(text)


def _refused(text: str) -> float:
    raise ValueError(text)


# Models write line ends and tabs in strings as they are.
_DECODER = json.JSONDecoder(
    strict=False, parse_float=_finite, parse_int=_integer, parse_constant=_refused
)

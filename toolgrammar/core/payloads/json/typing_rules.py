"""Converts a JSON value to the type that its schema wants, if nothing has to be guessed.

Example: if an integer is wanted, `"5"` and `5.0` become `5`; if a string is wanted, `5` becomes
`"5"`; `"five"` is kept.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolgrammar.core.payloads.json.strict_scanner import JsonScanner
from toolgrammar.core.payloads.json.tokens import text_of
from toolgrammar.core.payloads.json.whole import read_all
from toolgrammar.tools.json_tokens import INTEGER, MAX_DIGITS, NUMBER
from toolgrammar.values.patterns import late

if TYPE_CHECKING:
    from toolgrammar.core.payloads.json.guide import Guide

_INTEGER = late(INTEGER)
_NUMBER = late(NUMBER)
# From here on a float can't distinguish an integer from its neighbour.
_LARGEST_EXACT: Final = 2**53
_CONTAINERS: Final = {"{": "object", "[": "array"}


def needs_typing(value: object, wanted: Guide) -> bool:
    """Whether a part of a value may not have the type that its schema wants: then its text is read."""
    # The usual case needs no walk: an object of strings whose schema wants strings.
    if type(value) is dict and wanted.takes_texts(value):
        return False
    for part, guide in wanted.parts(value):
        types = guide.types
        if types is not None:
            kind = type(part)
            if kind is str and "string" not in types:
                return True
            # `type`, not `isinstance`: in Python, True is an int. `5.0` may be meant as an integer.
            is_other = kind is float or (kind is int and "integer" not in types)
            if is_other and "number" not in types:
                return True
    return False


def typed_string(body: str, wanted: Guide) -> str | None:
    """Returns the JSON text of the value that a string spells; None if it stays a string.

    Args:
        body: the characters between the quotes, as JSON.
        wanted: the guide of the value; it does not admit strings.
    """
    types = wanted.types or ()
    text = text_of(body)
    # `"5"` becomes 5; `"5 apples"` stays a string, since nothing may be guessed.
    if ("integer" in types or "number" in types) and len(text) <= MAX_DIGITS:
        pattern = _NUMBER if "number" in types else _INTEGER
        if pattern.fullmatch(text):
            return text
    # Models write `"True"` too. `false` is the longest, so a long text is not lowered in vain.
    if "boolean" in types and len(text) <= 5 and text.lower() in ("true", "false"):
        return text.lower()
    return _contained(text, types)


def _contained(text: str, types: tuple[str, ...]) -> str | None:
    """Returns a text that is a whole strict object or array, without the white space around it."""
    stripped = text.strip(" \t\n\r")
    # Any other first character maps to None, which is not a type.
    if _CONTAINERS.get(stripped[:1]) not in types:
        return None
    return stripped if read_all(stripped) is not None else None


def typed_number(number: str, wanted: Guide) -> str | None:
    """Returns the JSON text to which the schema converts a number; None if the number is kept."""
    types = wanted.types
    if types is None or "number" in types:
        return None
    is_integer = _INTEGER.fullmatch(number) is not None
    if "integer" in types:
        if is_integer:
            return None
        value = float(number)
        # `5.0` is 5; `5.5` is not an integer, and stays.
        if value.is_integer() and abs(value) < _LARGEST_EXACT:
            return str(int(value))
    # A number where only a string is wanted keeps its spelling: `1.50` becomes `"1.50"`.
    return f'"{number}"' if "string" in types else None


def cut_container(body: str, wanted: Guide) -> str | None:
    """Returns the JSON text of the object or array that a cut string begins, closed; else None."""
    text = text_of(body).lstrip(" \t\n\r")
    if _CONTAINERS.get(text[:1]) not in (wanted.types or ()):
        return None
    scanner = JsonScanner()
    out: list[str] = []
    scanner.feed(text, 0, out)
    if scanner.failed:
        return None
    # The end of the message cut the string: its content is closed as any cut object is.
    scanner.finish(out)
    return "".join(out)

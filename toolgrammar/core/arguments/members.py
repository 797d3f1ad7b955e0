"""Finds the places of the keys and values in arguments that were read as one payload.

Example: in `{"city": "Oslo", "days": 2}` the key `city` stands from 2 to 6 and its value from 9 to
15. Payloads in Python, `city="Oslo"`, work the same way. The result is compared with the arguments
that were read; if they differ, the places are not known.
"""

from __future__ import annotations

import ast
import json
import re
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from toolgrammar.core.payloads.literals.python_json import NAMED_VALUES
from toolgrammar.tools.fits import same
from toolgrammar.values.patterns import blanks, late

if TYPE_CHECKING:
    from collections.abc import Mapping

_CLOSERS: Final = {"{": "}", "[": "]", "(": ")"}
_STRING: Final = "|".join(
    (
        # A triple-quoted string of Python may contain single quotes; one of backticks does not.
        r"\"{3}.*?(?:\"{3}|\Z)|'{3}.*?(?:'{3}|\Z)",
        *(rf"{quote}(?:[^{quote}\\]++|\\.)*+\\?{quote}?" for quote in "\"'`"),
    )
)
"""A string in JSON or Python; the end of the text may cut it."""
_KEY = late(rf"(?P<string>{_STRING})|[\w.$-]*", re.DOTALL)
_PIECE = late(rf"{_STRING}|[{{\[(}}\]),]|[^\"'`{{\[(}}\]),]++", re.DOTALL)
"""A string, a bracket, a comma, or what is between these."""


class Member(NamedTuple):
    """The place of one argument, by offsets in the payload; a key's quotes are not included."""

    key: str
    key_start: int
    key_end: int
    start: int
    end: int


def members_of(text: str, arguments: Mapping[str, Any], *, whole: bool) -> list[Member] | None:
    """Returns the members of a payload; None if their places are not certain.

    Args:
        text: the payload, a JSON object or Python arguments.
        arguments: the arguments that were read in it.
        whole: whether the payload is complete; if not, its last value is not compared.
    """
    found = _split(text)
    # A key that comes twice is two members and one argument, and it is not known here which one was
    # read.
    if found is None or [each.key for each in found] != list(arguments):
        return None
    # Of `{"a": 1, "b": "Os` only the last value can be cut; a comma ended every other one.
    judged = found if whole else found[:-1]
    if all(_is(text[each.start : each.end], arguments[each.key]) for each in judged):
        return found
    return None


def _split(text: str) -> list[Member] | None:
    """Splits a payload at the commas of its outermost level; None if that fails."""
    place, end = blanks.match(text).end(), len(text.rstrip())
    if text[place : place + 1] in ("{", "("):
        closer = _CLOSERS[text[place]]
        place += 1
        # A payload that was cut, or repaired at its end, lacks the bracket.
        end -= text.endswith(closer, 0, end)
    found: list[Member] = []
    while (place := blanks.match(text, place).end()) < end:
        member = _member(text, place, end)
        if member is None:
            return None
        found.append(member)
        place = blanks.match(text, _behind(text, member.start, end)).end()
        if place < end and text[place] == ",":
            place += 1
        elif place < end:
            return None
    return found


def _member(text: str, place: int, end: int) -> Member | None:
    """Reads the member at an index: its key, the `:` or `=`, and the end of its value."""
    match = _KEY.match(text, place, end)
    assert match is not None
    quoted = match["string"] is not None
    key = _value(match[0]) if quoted else match[0]
    key_start, key_end = match.start() + quoted, match.end() - quoted
    stop = blanks.match(text, match.end()).end()
    # A key is followed by `:` in JSON, and by `=` in Python arguments.
    if not isinstance(key, str) or stop >= end or text[stop] not in ":=":
        return None
    start = blanks.match(text, stop + 1).end()
    # In `{"a": 1 , "b": 2}` the value `1` ends before the blank, not at the comma.
    value_end = start + len(text[start : _behind(text, start, end)].rstrip())
    return Member(key, key_start, key_end, start, value_end)


def _behind(text: str, place: int, end: int) -> int:
    """Returns the index of the comma that ends the value at an index, or `end`."""
    open_: list[str] = []
    for piece in _PIECE.finditer(text, place, end):
        mark = piece[0]
        if mark in _CLOSERS:
            open_.append(_CLOSERS[mark])
        elif open_ and mark == open_[-1]:
            open_.pop()
        elif mark == "," and not open_:
            return piece.start()
    return end


def _value(text: str) -> Any:
    """Returns the value of a text in JSON or Python, or the text itself."""
    try:
        # It is not strict, since a raw line end in a string was repaired and belongs to the value.
        return json.loads(text, strict=False)
    except (ValueError, RecursionError):
        pass
    try:
        # Python alone has `'Oslo'`, `True` and `(1, 2)`.
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        # In `f(dry=true)` the word is read as in JSON, although Python has no such name.
        return NAMED_VALUES.get(text, text)


def _is(text: str, value: object) -> bool:
    """Whether a value was read from a text, with or without a conversion by the schema."""
    read = _value(text)
    # Arguments are emitted as JSON, which has no tuples.
    if isinstance(read, tuple):
        read = list(read)
    if same(read, value):
        return True
    # The schema may convert the type: `"5"` to an integer, or `5` to a string.
    return isinstance(read, str) != isinstance(value, str) and (
        _value(str(read)) == value or str(read) == value
    )

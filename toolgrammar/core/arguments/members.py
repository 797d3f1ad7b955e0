"""Finds the places of the keys and values in arguments that were read as one payload.

Example: in `{"city": "Oslo", "days": 2}` the key `city` stands from 2 to 6 and its value from 9 to
15. Payloads in Python, `city="Oslo"`, work the same way. The result is compared with the arguments
that were read; if they differ, the places are not known.
"""

from __future__ import annotations

import ast
import json
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from toolgrammar.tools.fits import same

if TYPE_CHECKING:
    from collections.abc import Mapping

_CLOSERS: Final = {"{": "}", "[": "]", "(": ")"}
_QUOTES: Final = "\"'`"


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
    place, end = _blanks(text, 0), len(text.rstrip())
    if text[place : place + 1] in ("{", "("):
        closer = _CLOSERS[text[place]]
        place += 1
        # A payload that was cut, or repaired at its end, lacks the bracket.
        end -= text.endswith(closer, 0, end)
    found: list[Member] = []
    while (place := _blanks(text, place)) < end:
        member = _member(text, place, end)
        if member is None:
            return None
        found.append(member)
        place = _blanks(text, _behind(text, member.start, end))
        if place < end and text[place] == ",":
            place += 1
        elif place < end:
            return None
    return found


def _member(text: str, place: int, end: int) -> Member | None:
    """Reads the member at an index: its key, the `:` or `=`, and the end of its value."""
    if text[place] in _QUOTES:
        stop = _string_end(text, place, end)
        key_start, key_end = place + 1, stop - 1
        key = _value(text[place:stop])
    else:
        stop = place
        while stop < end and (text[stop].isalnum() or text[stop] in "_-.$"):
            stop += 1
        key_start, key_end = place, stop
        key = text[place:stop]
    stop = _blanks(text, stop)
    # A key is followed by `:` in JSON, and by `=` in Python arguments.
    if not isinstance(key, str) or stop >= end or text[stop] not in ":=":
        return None
    start = _blanks(text, stop + 1)
    # In `{"a": 1 , "b": 2}` the value `1` ends before the blank, not at the comma.
    value_end = start + len(text[start : _behind(text, start, end)].rstrip())
    return Member(key, key_start, key_end, start, value_end)


def _behind(text: str, place: int, end: int) -> int:
    """Returns the index of the comma that ends the value at an index, or `end`."""
    open_: list[str] = []
    while place < end:
        character = text[place]
        if character in _QUOTES:
            place = _string_end(text, place, end)
            continue
        if character in _CLOSERS:
            open_.append(_CLOSERS[character])
        elif open_ and character == open_[-1]:
            open_.pop()
        elif character == "," and not open_:
            return place
        place += 1
    return end


def _string_end(text: str, place: int, end: int) -> int:
    """Returns the index after the string that begins at an index."""
    quote = text[place]
    # A triple-quoted string of Python may contain single quotes; three backticks do not open such a
    # string.
    if quote != "`" and text.startswith(quote * 3, place):
        stop = text.find(quote * 3, place + 3, end)
        return end if stop < 0 else stop + 3
    place += 1
    while place < end and text[place] != quote:
        place += 2 if text[place] == "\\" else 1
    return min(end, place + 1)


def _blanks(text: str, place: int) -> int:
    """Returns the index after the white space at an index."""
    while place < len(text) and text[place].isspace():
        place += 1
    return place


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
        return _value_of_text(text)


def _value_of_text(text: str) -> Any:
    # In `f(dry=true)` the word is read as in JSON, although Python has no such name.
    words = {"true": True, "false": False, "null": None}
    return words.get(text, text)


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

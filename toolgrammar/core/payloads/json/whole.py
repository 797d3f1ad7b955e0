"""Reads a whole strict JSON value at C speed, accepting what `JsonScanner` accepts.

Example: of `{"a": 1}</tool_call>` it returns `{"a": 1}` and the index 8; of `{"a": 1` it returns
None. It also finds keys that an object repeats: of `{"a": 1, "b": 2, "a": 1}` the repeated key has
an equal value; `"a": 1.0` differs.
"""

from __future__ import annotations

import json
from codecs import utf_16_le_encode
from typing import TYPE_CHECKING, Any, NoReturn

from toolgrammar.core.payloads.json.tokens import MAX_DEPTH, word_character

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from toolgrammar.values.json_types import JsonValue


class RepeatedKeyError(ValueError):
    """An object has a key twice."""


def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Returns an object with the given members.

    Raises:
        RepeatedKeyError: a key occurs twice.
    """
    found = dict(pairs)
    if len(found) != len(pairs):
        raise RepeatedKeyError
    return found


_with_constants = json.JSONDecoder(object_pairs_hook=unique)
scan_unique: Callable[[str, int], tuple[Any, int]] = _with_constants.scan_once  # type: ignore[attr-defined]
"""Returns the strict value at an index and the index of its end: the decoder's `scan_once`."""


_with_line_ends = json.JSONDecoder(object_pairs_hook=unique, strict=False)


def repeats_key(text: str) -> bool:
    """Whether a text is JSON in which an object has a key twice; strings may contain line ends."""
    try:
        _with_line_ends.decode(text)
    except RepeatedKeyError:
        return True
    except ValueError:
        return False
    return False


class _Object(dict[str, Any]):
    """An object that keeps all of its members, repeated ones too."""

    def __init__(self, members: list[tuple[str, Any]]) -> None:
        super().__init__(members)
        self.members = members


_with_members = json.JSONDecoder(object_pairs_hook=_Object, strict=False)


def equal_duplicates(text: str) -> list[bool]:
    """Returns for each repeated key of a JSON text, in text order, whether its value is the same.

    The value is compared with that of the same key before it.
    """
    found: list[bool] = []
    # The values that are still to be searched, each with the earlier value of its key, if there is
    # one.
    pending: list[tuple[Any, list[Any]]] = [(_with_members.decode(text), [])]
    while pending:
        value, before = pending.pop()
        found += [is_same(value, each) for each in before]
        inner: list[tuple[Any, list[Any]]] = []
        if isinstance(value, _Object):
            last: dict[str, Any] = {}
            for key, part in value.members:
                inner.append((part, [last[key]] if key in last else []))
                last[key] = part
        elif isinstance(value, list):
            inner = [(part, []) for part in value]
        pending += reversed(inner)
    return found


def is_same(value: JsonValue, other: JsonValue) -> bool:
    """Whether two values are the same in JSON, where `true`, `1` and `1.0` differ."""
    # The order of keys does not count: `{"a": 1, "b": 2}` is `{"b": 2, "a": 1}`.
    return json.dumps(value, sort_keys=True) == json.dumps(other, sort_keys=True)


# The decoder of the standard library accepts `NaN` and `Infinity`, which JSON does not have.
def _refuse_constant(name: str) -> NoReturn:
    message = f"`{name}` is no JSON"
    raise ValueError(message)


_AT_ONCE = 65_536
"""The number of characters that are encoded at once: UTF-16 takes twice the memory of ASCII text."""
_INFINITE = (float("inf"), float("-inf"))

# typeshed lacks `scan_once`; `raw_decode` would build an error for every text that fails.
# An object that repeats a key is left to the scanner, which reports it.
_decoder = json.JSONDecoder(parse_constant=_refuse_constant, object_pairs_hook=unique)
_scan_once = _decoder.scan_once  # type: ignore[attr-defined]


def read_whole(
    text: str, position: int, *, object_only: bool = False
) -> tuple[JsonValue, int] | None:
    """Returns the strict value at `position` and its end, or None if no complete value is there.

    The fast path: CPython's own scanner. It accepts what `JsonScanner` accepts, except objects that
    repeat a key, which the scanner reports. A root number or literal at the end of the text is
    undecided, hence None.
    """
    if object_only and not text.startswith("{", position):
        return None
    value: JsonValue
    # Nothing begins here, the value is damaged, or it nests too deep (`[[[[[…`): the scanner, which
    # runs next, determines which.
    try:
        value, end = _scan_once(text, position)
    except (StopIteration, ValueError, RecursionError):
        return None
    if isinstance(value, (dict, list)):
        return None if is_odd(value) else (value, end)
    if isinstance(value, str):
        return None if not value.isascii() and has_surrogate(value) else (value, end)
    # `12` at the end may go on; `12abc` and `truest` are not values, `1e999` is not a float.
    if end == len(text) or word_character.match(text, end) or value in _INFINITE:
        return None
    return value, end


def read_all(text: str) -> tuple[JsonValue] | None:
    """Returns the strict value that a whole text is, as a tuple of one; None if it is none."""
    # The space ends a number, which might continue at the end of a text.
    whole = read_whole(f"{text} ", 0)
    return (whole[0],) if whole is not None and whole[1] == len(text) else None


def read_lines(text: str) -> tuple[JsonValue] | None:
    """Returns the value of a text as `read_all` does; its strings may contain line ends."""
    whole = read_all(text)
    if whole is None and "\n" in text:
        try:
            value = _with_line_ends.decode(text)
        except (ValueError, RecursionError):
            return None
        # Written once more, with the line ends escaped: the strict reader checks numbers and depth.
        whole = read_all(json.dumps(value))
    return whole


def has_surrogate(text: str) -> bool:
    """Whether a text contains half of a surrogate pair, which is not a character."""
    if len(text) > _AT_ONCE:
        pieces = (text[at : at + _AT_ONCE] for at in range(0, len(text), _AT_ONCE))
        return any(map(has_surrogate, pieces))
    try:
        # CPython checks and copies this at many times the speed of UTF-8; `str.encode` would look
        # up the codec for each text.
        utf_16_le_encode(text)
    except UnicodeEncodeError:
        return True
    return False


def is_odd(value: JsonValue) -> bool:
    """Whether the scanner must judge something in an object or an array.

    That is nesting deeper than `MAX_DEPTH`, a number that no float holds, or half a surrogate pair.
    """
    level: list[JsonValue] = [value]
    # Level by level, not by recursion, which the depth of a text could exhaust.
    for _ in range(MAX_DEPTH):
        below: list[JsonValue] = []
        for each in level:
            inside: Iterable[JsonValue] = each  # type: ignore[assignment]
            if isinstance(each, dict):
                inside = each.values()
                keys = "".join(each)
                if not keys.isascii() and has_surrogate(keys):
                    return True
            for inner in inside:
                kind = type(inner)
                if kind is str:
                    if not inner.isascii() and has_surrogate(inner):  # type: ignore[union-attr, arg-type]
                        return True
                elif kind is dict or kind is list:
                    below.append(inner)
                # `1e999` is JSON, and no float holds it.
                elif kind is float and inner in _INFINITE:
                    return True
        if not below:
            return False
        level = below
    return True

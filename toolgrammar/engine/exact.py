"""Writes values as texts that differ whenever the values differ, for digests and cache keys.

`{"b": 1, "a": 2}` becomes `{"a": 2, "b": 1}`, and `1`, `1.0` and `True` become three different
texts.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from toolgrammar.values.calls import ToolCall

# Tested with `type() in`, not `isinstance`: a subclass may have another `repr`.
_SCALARS: Final = frozenset({str, int, float, bool, type(None)})


def cache_key(call: ToolCall) -> tuple[str, str] | None:
    """Returns the cache key of a call: its tool, and its arguments as the model wrote them.

    If the call's arguments differ from that text, they are appended to it: an argument carried over
    from another call, a value converted by the schema, a free text, an edit of the call. A call
    made by hand has no key.
    """
    raw = call.raw_arguments
    if not raw:
        # Without a text, a call with arguments was made by hand; one without may come from a parser.
        return None if call.arguments or call.input is not None else (call.name, raw)
    if call.input is None and _reads_as(raw, call.arguments):
        # The common case: the text has all arguments, and the key stays short and readable.
        return call.name, raw
    return call.name, f"{raw}\n{exact_json([call.arguments, call.input])}"


def _reads_as(raw: str, arguments: dict[str, Any]) -> bool:
    """Whether a text is the JSON of just these arguments."""
    try:
        return _same(json.loads(raw), arguments)
    # A text that is not JSON (Python arguments, XML) gets the long key.
    except (ValueError, RecursionError):
        return False


def _same(left: Any, right: Any) -> bool:
    """Whether two values are equal and of the same types; 1 is neither 1.0 nor true."""
    kind = type(left)
    # In Python 1 == 1.0 == True; in JSON, and for a tool, they are three values.
    if kind is not type(right):
        return False
    if kind is dict:
        return left.keys() == right.keys() and all(
            _same(part, right[key]) for key, part in left.items()
        )
    if kind is list:
        return len(left) == len(right) and all(map(_same, left, right))
    return bool(left == right)


def exact_json(value: Any) -> str:
    """Returns the ASCII JSON of JSON data, with sorted keys.

    Data made by hand may hold values that JSON lacks, such as tuples, decimals, or keys that are not
    strings. Every value is then written with the name of its type, so that `{1: 2}` and `{"1": 2}`
    differ.
    """
    try:
        if is_json(value):
            return json.dumps(value, sort_keys=True)
        return json.dumps({"typed": _typed(value)})
    except (ValueError, RecursionError):  # the value contains itself
        return ascii(value)


def is_json(value: Any) -> bool:
    """Whether a value consists only of the types that `json.loads` returns."""
    pending = [value]
    seen: set[int] = set()
    while pending:
        part = pending.pop()
        if type(part) in _SCALARS:
            continue
        # Seen values are skipped: a list may occur twice, and the loop must end for cyclic lists.
        if id(part) in seen:
            continue
        seen.add(id(part))
        if type(part) is dict:
            if not all(type(key) is str for key in part):
                return False
            pending += part.values()
        elif type(part) is list:
            pending += part
        else:
            return False
    return True


def _typed(value: Any) -> list[Any]:
    kind = f"{type(value).__module__}.{type(value).__qualname__}"
    if isinstance(value, dict):
        # Keys of different types can't be compared for sorting, but their texts can.
        return [kind, sorted(([_typed(key), _typed(part)] for key, part in value.items()), key=str)]
    if isinstance(value, list | tuple):
        return [kind, [_typed(part) for part in value]]
    if isinstance(value, set | frozenset):
        return [kind, sorted((_typed(part) for part in value), key=str)]
    return [kind, repr(value)]

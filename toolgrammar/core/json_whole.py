"""Reads a whole strict JSON value at C speed, accepting exactly what `JsonScanner` accepts."""

from __future__ import annotations

import json
import re
from itertools import accumulate
from typing import TYPE_CHECKING, NoReturn

from toolgrammar.core.json_tokens import MAX_DEPTH, word_character

if TYPE_CHECKING:
    from toolgrammar.values.json_types import JsonValue


def _refuse_constant(name: str) -> NoReturn:
    message = f"`{name}` is no JSON"
    raise ValueError(message)


# typeshed leaves `scan_once` out; `raw_decode` would build an error for every text that fails.
_decoder = json.JSONDecoder(parse_constant=_refuse_constant)
_scan_once = _decoder.scan_once  # type: ignore[attr-defined]
_not_brackets = re.compile(r'(?:[^][{}"]++|"(?:[^"\\]++|\\.)*+")++', re.DOTALL)
_steps = {"[": 1, "{": 1, "]": -1, "}": -1}


def read_whole(
    text: str, position: int, *, object_only: bool = False
) -> tuple[JsonValue, int] | None:
    """Give the strict value that begins at `position` and its end, or None if none is whole there.

    The fast path: CPython's own scanner. It accepts what `JsonScanner` accepts. A root number or
    literal that the end of the text cuts is undecided, hence None.
    """
    if object_only and not text.startswith("{", position):
        return None
    value: JsonValue
    try:
        value, end = _scan_once(text, position)
    except (StopIteration, ValueError, RecursionError):
        return None
    if isinstance(value, dict | list):
        return None if _is_too_deep(text, position, end) else (value, end)
    if not isinstance(value, str) and (end == len(text) or word_character(text, end)):
        return None
    return value, end


def _is_too_deep(text: str, start: int, end: int) -> bool:
    """Whether brackets nest deeper than `MAX_DEPTH` in a strict value."""
    if text.count("[", start, end) + text.count("{", start, end) <= MAX_DEPTH:
        return False
    brackets = _not_brackets.sub("", text[start:end])
    return max(accumulate(map(_steps.__getitem__, brackets))) > MAX_DEPTH

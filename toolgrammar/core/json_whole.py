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


_BESIDE_BRACKETS = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|[^\[\]{}"]+', re.DOTALL)
_ESCAPED = re.compile(r"\\u00[57][bB]")
_DEPTHS = {"{": 1, "[": 1, "}": -1, "]": -1}

# typeshed leaves `scan_once` out; `raw_decode` would build an error for every text that fails.
_decoder = json.JSONDecoder(parse_constant=_refuse_constant)
_scan_once = _decoder.scan_once  # type: ignore[attr-defined]


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
    kind = type(value)
    if kind is dict or kind is list:
        # So few brackets can't nest too deep; more are looked at one by one.
        brackets = text.count("{", position, end) + text.count("[", position, end)
        if brackets > MAX_DEPTH and _is_too_deep(value, text, position, end, brackets):
            return None
        return value, end
    if not isinstance(value, str) and (end == len(text) or word_character(text, end)):
        return None
    return value, end


def _is_too_deep(value: JsonValue, text: str, start: int, end: int, brackets: int) -> bool:
    """Whether brackets nest deeper than `MAX_DEPTH`.

    The value tells for all that it shows. Brackets that are neither its own nor in its strings
    belong to what a key that comes twice has hidden: then the text is looked at.
    """
    level: list[JsonValue] = [value]
    for depth in range(MAX_DEPTH + 1):
        below: list[JsonValue] = []
        for each in level:
            if isinstance(each, dict):
                brackets -= 1
                below.extend(each.values())
                below.extend(each)
            elif isinstance(each, list):
                brackets -= 1
                below.extend(each)
            elif isinstance(each, str):
                brackets -= each.count("{") + each.count("[")
        if not below:
            unsure = depth + max(0, brackets) > MAX_DEPTH or (
                text.find("\\u00", start, end) >= 0 and _ESCAPED.search(text, start, end)
            )
            return bool(unsure) and _depth(text[start:end]) > MAX_DEPTH
        level = below
    return True


def _depth(text: str) -> int:
    """Gives how deep the brackets of a strict value nest."""
    return max(accumulate(map(_DEPTHS.__getitem__, _BESIDE_BRACKETS.sub("", text))))

"""Converts numbers and named values in Python's notation to JSON.

Example: `0x1F` is `31`, `07` is `7`, and `None` is `null`.
"""

from __future__ import annotations

import json
import re
from typing import Final

from toolgrammar.values.patterns import late

_encode: Final = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode

LONGEST_WORD: Final = 4300
"""A longer number is refused: CPython refuses longer integers, and reading them is slow."""

NAMED_VALUES: Final[dict[str, bool | None]] = {
    "True": True,
    "False": False,
    "None": None,
    "true": True,
    "false": False,
    "null": None,
}

# It begins with a digit or a point: Python's `float` accepts `inf` and `nan`, too.
_NUMBER = late(r"[+-]?[0-9.][0-9a-zA-Z_.+-]*", re.ASCII)


def read_scalar(word: str) -> tuple[str, str] | None:
    """Returns the JSON text of a number or named value and its text as a key, or None.

    Leading zeros are skipped (`month=07`); infinite and complex numbers are refused.
    """
    if word in NAMED_VALUES:
        return _encode(NAMED_VALUES[word]), str(NAMED_VALUES[word])
    if not _NUMBER.fullmatch(word):
        return None
    for read in (int, _based, float):
        try:
            value = read(word)
            return _encode(value), str(value)
        except ValueError:  # in another notation, past the interpreter's limit of digits, infinite
            continue
    return None


def _based(word: str) -> int:
    return int(word, 0)

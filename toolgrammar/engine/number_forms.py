"""The forms in which a number may stand in a string."""

from __future__ import annotations

import math
import re

_INTEGER = re.compile(r"-?(?:0|[1-9][0-9]*)")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")


def is_integer(text: str) -> bool:
    """Tells whether a text is a whole number in its canonical form."""
    return _INTEGER.fullmatch(text) is not None


def is_number(text: str) -> bool:
    """Tells whether a text is a finite number as JSON writes it."""
    return _NUMBER.fullmatch(text) is not None and math.isfinite(float(text))

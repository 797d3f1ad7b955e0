"""Recognises strings that are numbers in canonical form.

`-12` is an integer and a number, `1.5` and `1e3` are numbers; `1_000`, ` 5` and `1e999` are
neither.
"""

from __future__ import annotations

import math

from toolgrammar.tools.json_tokens import INTEGER, NUMBER
from toolgrammar.values.patterns import late

_INTEGER = late(INTEGER)
_NUMBER = late(NUMBER)


def is_integer(text: str) -> bool:
    """Whether a text is a whole number in its canonical form."""
    return _INTEGER.fullmatch(text) is not None


def is_number(text: str) -> bool:
    """Whether a text is a finite number as JSON writes it."""
    # `1e999` has the form of a number, but is infinite as a float.
    return _NUMBER.fullmatch(text) is not None and math.isfinite(float(text))

"""Reads a JSON number or literal that arrives in pieces.

Example: `-1` followed by `2.5e` is not a whole number yet; with `3` it is `-12.5e3`, which may
continue.
"""

from __future__ import annotations

from typing import Final

from toolgrammar.core.payloads.json.tokens import digit_run
from toolgrammar.tools.json_tokens import MAX_DIGITS

_LITERALS: Final = {"t": "true", "f": "false", "n": "null"}

# The parts of a number: each maps a character to the part that it leads to.
_SIGN, _ZERO, _INTEGER, _POINT, _FRACTION, _POWER, _POWER_SIGN, _EXPONENT = range(8)
# A zero leads to a part of its own: no digit may follow it, `012` is not a JSON number.
_first_digits = {"0": _ZERO} | dict.fromkeys("123456789", _INTEGER)
_exponent_digits = dict.fromkeys("0123456789", _EXPONENT)
_power = dict.fromkeys("eE", _POWER)
_NUMBER_PARTS: Final = (
    _first_digits,  # _SIGN: `-`
    {".": _POINT} | _power,  # _ZERO: `0`
    dict.fromkeys("0123456789", _INTEGER) | {".": _POINT} | _power,  # _INTEGER: `12`
    dict.fromkeys("0123456789", _FRACTION),  # _POINT: `12.`
    dict.fromkeys("0123456789", _FRACTION) | _power,  # _FRACTION: `12.5`
    _exponent_digits | dict.fromkeys("+-", _POWER_SIGN),  # _POWER: `12e`
    _exponent_digits,  # _POWER_SIGN: `12e-`
    _exponent_digits,  # _EXPONENT: `12e-3`
)
_DIGIT_PARTS: Final = frozenset((_INTEGER, _FRACTION, _EXPONENT))
_WHOLE_PARTS: Final = _DIGIT_PARTS | {_ZERO}

SCALAR_STARTS: Final = frozenset((*_LITERALS, *_first_digits, "-"))
"""The characters that begin a number or a literal."""


class Scalar:
    """A number or literal that is being read, made with its first character."""

    __slots__ = ("_part", "_pieces", "_rest", "is_number")

    def __init__(self, first: str) -> None:
        """Begins with one of `SCALAR_STARTS`."""
        self.is_number = first not in _LITERALS
        self._pieces = [first]
        self._part = _first_digits.get(first, _SIGN)
        self._rest = "" if self.is_number else _LITERALS[first][1:]

    @property
    def text(self) -> str:
        """The characters that have arrived."""
        return "".join(self._pieces)

    @property
    def whole(self) -> bool:
        """Whether the number or literal may end here."""
        return self._part in _WHOLE_PARTS if self.is_number else not self._rest

    @property
    def too_long(self) -> bool:
        """Whether this is an integer that CPython refuses to read."""
        # Only integers have a limit: a float of any length is read. One piece is one digit.
        if self._part != _INTEGER or len(self._pieces) == 1:
            return False
        text = self.text
        return len(text) - text.startswith("-") > MAX_DIGITS

    @property
    def is_whole_literal(self) -> bool:
        """Whether it is a complete literal: `12` may become `123`, `true` may not."""
        return not self.is_number and not self._rest

    def feed(self, text: str, position: int) -> int:
        """Consumes characters of the token; returns the offset of the first other character."""
        start = position
        if self.is_number:
            position = self._number_end(text, position)
        else:
            # One character at a time: the chunk may end in `tru`.
            while self._rest and text.startswith(self._rest[0], position):
                self._rest = self._rest[1:]
                position += 1
        self._pieces.append(text[start:position])
        return position

    def _number_end(self, text: str, position: int) -> int:
        """Returns the index after the characters that continue the number."""
        length = len(text)
        while position < length:
            part = _NUMBER_PARTS[self._part].get(text[position])
            if part is None:
                break
            self._part = part
            position += 1
            # A digit leads from these parts to themselves: the run needs no step for each.
            if part in _DIGIT_PARTS:
                position = digit_run.match(text, position).end()
        return position

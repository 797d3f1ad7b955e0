"""Reads one word of a JSON text that may be damaged: a number or literal in any spelling.

Example: `True` is `true` with a repair `literal`, `0x1F` is `31` with a repair `number`; `True
story` is not a scalar but text.

Two readers use it: that of words in damaged JSON (`core/payloads/mended/words.py`, which decides what
characters a word has) and `recovery`, for a text that is nothing but a word.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from toolgrammar.core.payloads.json.tokens import as_json
from toolgrammar.tools.json_tokens import MAX_DIGITS, NUMBER, WHOLE
from toolgrammar.values.patterns import late

if TYPE_CHECKING:
    from toolgrammar.core.payloads.json.guide import Guide

_STRICT_NUMBER = late(NUMBER)
# Every part is optional, so `.5`, `5.` and `+5` match, but at least one digit is needed.
_DECIMAL = late(r"([+-]?)(?=\.?[0-9])([0-9]*+)(\.?)([0-9]*+)((?:[eE][+-]?[0-9]+)?)")
_BASED = late(r"([+-]?)(0(?:[xX][0-9a-fA-F]+|[bB][01]+|[oO][0-7]+))")
_GROUPED = late(r"[+-]?[0-9]+(?:_[0-9]+)+(?:\.[0-9]+)?")
# `007`
_ZEROS = late(rf"([+-]?)0+({WHOLE})")
# Two zeros begin no octal number in C, and `01` to `07` are the same in both.
_OCTAL = late(r"[+-]?0[1-7][0-7]+")


class Scalar(NamedTuple):
    """A number or literal as JSON."""

    text: str
    """Its JSON text."""
    code: str
    """The code of its repair; "" for strict JSON."""

    @property
    def is_number(self) -> bool:
        """Whether it is a finite number, so that a schema may want it as a string or an integer."""
        return self.text[0] in "-0123456789" and self.code != "nonfinite"


WORDS: Final = {
    "true": Scalar("true", "literal"),
    "false": Scalar("false", "literal"),
    "null": Scalar("null", "literal"),
    "none": Scalar("null", "literal"),
    "undefined": Scalar("null", "undefined"),
    "nan": Scalar("NaN", "nonfinite"),  # JSON has no spelling of it
    # JSON without such a literal: all readers overflow to infinity.
    "infinity": Scalar("1e999", "nonfinite"),
    "+infinity": Scalar("1e999", "nonfinite"),
    "-infinity": Scalar("-1e999", "nonfinite"),
    "inf": Scalar("1e999", "nonfinite"),
    "-inf": Scalar("-1e999", "nonfinite"),
}
"""The words that are not text, in lower case: the scalar of each, with its repair if misspelt.

This is the only list of words: the completion of a cut word (`mended/end.py`) and the words with which a
stretch of text may not begin (`mended/stretches.py`) are derived from it.
"""
_LONGEST_WORD: Final = max(map(len, WORDS))


def scalar_of(word: str, wanted: Guide | None) -> Scalar | None:
    """Returns the number or literal that a word spells; None for text.

    Raises:
        ValueError: the word is an integer that is too long to be read.
    """
    # Strict JSON is kept, whatever the schema wants: `typing_rules.py` types it.
    if _STRICT_NUMBER.fullmatch(word):
        # CPython refuses to read long integers; a float of many digits is only rounded.
        if len(word) > MAX_DIGITS and len(word.lstrip("-")) > MAX_DIGITS and word[1:].isdigit():
            raise ValueError(word[:20])
        return Scalar(word, "")
    found = WORDS.get(word.lower()) if len(word) <= _LONGEST_WORD else None
    if found is not None:
        is_strict = found.code == "literal" and word == found.text
        return Scalar(found.text, "") if is_strict else found
    if len(word) > MAX_DIGITS or not any(map(str.isdigit, word)):
        return None
    return _odd_number(word, wanted)


def _odd_number(word: str, wanted: Guide | None) -> Scalar | None:
    """Returns a number that JSON spells differently, as the schema wants it; None for text."""
    number = _number_of(word)
    if number is None:
        return None
    types = set(wanted.types or ()) if wanted is not None else set()
    if types.isdisjoint(("integer", "number")):
        if "string" in types:
            # The schema wants a text: `0x1F` becomes `"0x1F"`, in the model's own spelling.
            return Scalar(as_json(word), "number")
        # `007` may be a code: only a schema shows that it is a number.
        if _ZEROS.fullmatch(word):
            return None
    return None if may_be_octal(word) else Scalar(number, "number")


def may_be_octal(word: str) -> bool:
    """Whether a number with a zero first, such as the mode `0755`, is another one in C and in JSON."""
    return _OCTAL.fullmatch(word) is not None


def _number_of(word: str) -> str | None:
    """Returns the JSON text of a number that JSON spells differently; None if it is none."""
    zeros = _ZEROS.fullmatch(word)
    if zeros is not None:
        return zeros[1].replace("+", "") + zeros[2]
    based = _BASED.fullmatch(word)
    if based is not None:
        return based[1].replace("+", "") + str(int(based[2], 0))
    return decimal(word.replace("_", "") if _GROUPED.fullmatch(word) else word)


def decimal(word: str) -> str | None:
    """Returns the JSON text of a decimal number that JSON spells otherwise: `.5` is `0.5`."""
    match = _DECIMAL.fullmatch(word)
    # `00.5` is not a number in any notation.
    if match is None or (len(match[2]) > 1 and match[2][0] == "0"):
        return None
    sign, whole, point, fraction, power = match.groups()
    after = f".{fraction or '0'}" if point else ""
    return f"{sign.replace('+', '')}{whole or '0'}{after}{power}"

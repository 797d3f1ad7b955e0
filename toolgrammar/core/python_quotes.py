"""Tells which quote ends a string in Python arguments, where quotes inside it are not escaped.

What Python reads is read so. A quote is a part of the string only where nothing that Python takes
follows: then the next one that fits ends it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolgrammar.core.python_values import STRING_PREFIXES
from toolgrammar.values.patterns import anywhere, late

if TYPE_CHECKING:
    from collections.abc import Sequence

_REACH: Final = 256
"""Characters that are looked at behind a quote."""
_GAP = anywhere(r"\s*")
_WORD = late(r"\w+")
_ARGUMENT = late(r"([^\W\d]\w{0,128})\s{0,32}(=?)([\s\S]?)")
_EXPRESSION: Final = frozenset({"if", "else", "for", "in", "and", "or", "not", "is"})
"""Words by which an expression goes on."""


_BEFORE: Final = frozenset(" ([=:")
"""Characters behind which a quote may open something, and closes nothing."""


class Quotes:
    """The quotes of one string, and what was found out about them."""

    __slots__ = ("final", "inner", "named", "nested", "parameters")

    def __init__(self, parameters: Sequence[str]) -> None:
        self.parameters = parameters
        self.named = False
        """Whether the string is the value of a keyword."""
        self.nested = False
        """Whether it stands in a container."""
        self.inner = False
        """Whether it has quotes inside."""
        self.final = False
        """Whether the text ends with what is looked at."""

    def close(self, text: str, index: int, before: str) -> bool | None:
        """Whether the quote before an index ends the string; None where more text tells.

        Args:
            text: holds what follows.
            index: where that begins.
            before: the character before the quote.
        """
        place = _GAP.match(text, index).end()
        if place - index > _REACH:
            return True
        if place == len(text):
            return True if self.final else None
        character = text[place]
        if character in ")]}:":
            return self._before_closer(text, place, character)
        if character == ",":
            judged = self.inner and self.named and not self.nested
            return self._before_comma(text, place) if judged else True
        if character in "'\"":
            return not self.inner
        if character.isalnum() or character == "_":
            return self._before_word(text, index, place)
        if self.inner:
            return False
        return not (before in _BEFORE and place == index)

    def _before_closer(self, text: str, place: int, character: str) -> bool | None:
        if not self.nested and character in "}:":
            return not self.inner
        if not self.inner:
            return True
        behind = _GAP.match(text, place + 1).end()
        if behind == len(text) and behind - place < _REACH:
            return True if self.final else None
        return behind == len(text) or not (text[behind] in "'\"" or text[behind].isalnum())

    def _before_comma(self, text: str, place: int) -> bool | None:
        start = _GAP.match(text, place + 1).end()
        if start == len(text):
            return True if self.final or start - place > _REACH else None
        match = _ARGUMENT.match(text, start)
        if match is None:
            return text[start] in ")]"
        if match.end() == len(text) and not match[3] and not self.final:
            return None
        is_argument = match[2] == "=" != match[3]
        known = not self.parameters or match[1] in self.parameters
        return is_argument and known

    def _before_word(self, text: str, index: int, place: int) -> bool | None:
        match = _WORD.match(text, place, place + _REACH)
        assert match is not None
        if match.end() == len(text) and not self.final:
            return None
        word = match.group()
        if self.inner:
            return False
        if word.lower() in STRING_PREFIXES and text[match.end() : match.end() + 1] in ("'", '"'):
            return True
        return word in _EXPRESSION or "\n" in text[index:place]

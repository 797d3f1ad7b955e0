"""Tells which quote ends a string in Python arguments, where quotes inside it are not escaped.

What Python reads is read so. A quote is a part of the string only where nothing that Python takes
follows: then the next one that fits ends it. Example: in `f(q='it's here')` an `s` follows the
second quote, which can't be, so the third one ends the string.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolgrammar.values.patterns import anywhere, late

if TYPE_CHECKING:
    from collections.abc import Sequence

STRING_PREFIXES: Final = frozenset({"", "r", "u", "f", "rf", "fr"})
"""What may stand before a quote, in lower case; bytes have no place in JSON."""
PLAIN_PREFIXES: Final = frozenset({"", "u"})
"""Those of strings whose quotes are judged: a raw one has no escapes, an f-string is no plain text."""

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

    def __init__(self, parameters: Sequence[str], *, named: bool, nested: bool) -> None:
        self.parameters = parameters
        self.named = named
        """Whether the string is the value of a keyword."""
        self.nested = nested
        """Whether it stands in a container."""
        self.inner = False
        """Whether it has quotes inside."""
        self.final = False
        """Whether the text ends with what is looked at."""

    def close(self, text: str, quote: int, *, final: bool) -> bool | None:
        """Whether the quote at an index ends the string; None where more text tells.

        Args:
            text: holds it, the character before it, and what follows.
            quote: the index.
            final: whether the text ends here.
        """
        self.final = final
        closes = self._closes(text, quote + 1, text[quote - 1 : quote])
        self.inner = self.inner or closes is False
        return closes

    def _closes(self, text: str, index: int, before: str) -> bool | None:
        place = _GAP.match(text, index).end()
        # No stream waits for what follows so much white space.
        if place - index > _REACH:
            return True
        # Only the end of the message decides; a chunk may end anywhere.
        if place == len(text):
            return True if self.final else None
        character = text[place]
        if character in ")]}:":
            return self._before_closer(text, place, character)
        if character == ",":
            # Behind a quote inside, the text may go on: `q='say 'hi', then go'`. Only the names of
            # arguments tell that apart: so neither a list nor a value by position is judged.
            judged = self.inner and self.named and not self.nested
            return self._before_comma(text, place) if judged else True
        # Python joins `'a' 'b'`. Behind a quote inside, such a thing is text.
        if character in "'\"":
            return not self.inner
        if character.isalnum() or character == "_":
            return self._before_word(text, index, place)
        if self.inner:
            return False
        # `'use '--force' here'`: behind a blank and directly before a mark, it opens something.
        return not (before in _BEFORE and place == index)

    def _before_closer(self, text: str, place: int, character: str) -> bool | None:
        # No bracket is open that could take them.
        if not self.nested and character in "}:":
            return not self.inner
        if not self.inner:
            return True
        # In `'(see 'x') or so'` text goes on behind the bracket: the quote stands inside.
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
            # A comma before the end of the arguments, or no argument at all.
            return text[start] in ")]"
        # The name may go on, or its `=` is still to come.
        if match.end() == len(text) and not match[3] and not self.final:
            return None
        # `b=1`, not `b == 1`.
        is_argument = match[2] == "=" != match[3]
        # Where the parameters are known, a name that is none of them is text.
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
        # `'a' f'b'`: the next part of the string.
        if word.lower() in STRING_PREFIXES and text[match.end() : match.end() + 1] in ("'", '"'):
            return True
        # `'a' if x else 'b'`: the string ends, and the expression is refused as one.
        return word in _EXPRESSION or "\n" in text[index:place]

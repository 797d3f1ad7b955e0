"""Decides which quote ends a string in Python arguments, if quotes inside it are not escaped.

A sound string is read as Python reads it. A quote is a part of the string only if the text after it
is not Python: then the next quote that fits ends it. Example: in `f(q='it's here')` an `s` follows
the second quote, which is impossible in Python, so the third one ends the string.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolgrammar.values.patterns import anywhere, late

if TYPE_CHECKING:
    from collections.abc import Sequence

STRING_PREFIXES: Final = frozenset({"", "r", "u", "f", "rf", "fr"})
"""The prefixes that are allowed before a quote, in lower case; bytes have no equivalent in JSON."""
PLAIN_PREFIXES: Final = frozenset({"", "u"})
"""The prefixes of strings whose quotes are judged: raw strings and f-strings are not."""

_REACH: Final = 256
"""The number of characters after a quote that are examined."""
_GAP = anywhere(r"\s*")
_WORD = late(r"\w+")
_ARGUMENT = late(r"([^\W\d]\w{0,128})\s{0,32}(=?)([\s\S]?)")
_EXPRESSION: Final = frozenset({"if", "else", "for", "in", "and", "or", "not", "is"})
"""The words that continue an expression."""


_BEFORE: Final = frozenset(" ([=:")
"""The characters after which a quote may open a string, and does not close one."""


class Quotes:
    """The quotes of one string, and what is known about them."""

    def __init__(self, parameters: Sequence[str], *, named: bool, nested: bool) -> None:
        self.parameters = parameters
        self.named = named
        """Whether the string is the value of a keyword."""
        self.nested = nested
        """Whether the string is inside a container."""
        self.inner = False
        """Whether the string contains quotes."""
        self.final = False
        """Whether no more text comes."""

    def close(self, text: str, quote: int, *, final: bool) -> bool | None:
        """Whether the quote at an index ends the string; None if more text must decide.

        Args:
            text: contains the quote, the character before it, and the text after it.
            quote: the index of the quote.
            final: whether the text ends here.
        """
        self.final = final
        closes = self._closes(text, quote + 1, text[quote - 1 : quote])
        self.inner = self.inner or closes is False
        return closes

    def _closes(self, text: str, index: int, before: str) -> bool | None:
        """Decides by the text after a quote, which `index` is, and by the character before it."""
        place = _GAP.match(text, index).end()
        # No stream waits for the text after so much white space.
        if place - index > _REACH:
            return True
        # Only the end of the message decides; a chunk may end anywhere.
        if place == len(text):
            return True if self.final else None
        character = text[place]
        if character in ")]}:":
            return self._before_closer(text, place, character)
        if character == ",":
            # After a quote inside, the text may go on: `q='say 'hi', then go'`. Only the names of
            # arguments decide: so neither a list nor a positional value is judged.
            judged = self.inner and self.named and not self.nested
            return self._before_comma(text, place) if judged else True
        # Python joins `'a' 'b'`. After a quote inside, such a sequence is text.
        if character in "'\"":
            return not self.inner
        if character.isalnum() or character == "_":
            return self._before_word(text, index, place)
        if self.inner:
            return False
        # `'use '--force' here'`: after a blank and directly before a mark, it opens a quotation.
        return not (before in _BEFORE and place == index)

    def _before_closer(self, text: str, place: int, character: str) -> bool | None:
        """Decides for a quote with a closing bracket or a colon after it."""
        # No open bracket could be closed by them.
        if not self.nested and character in "}:":
            return not self.inner
        if not self.inner:
            return True
        # In `'(see 'x') or so'` text follows the bracket: the quote is inside the string.
        behind = _GAP.match(text, place + 1).end()
        if behind == len(text) and behind - place < _REACH:
            return True if self.final else None
        return behind == len(text) or not (text[behind] in "'\"" or text[behind].isalnum())

    def _before_comma(self, text: str, place: int) -> bool | None:
        """Decides for a quote with a comma after it: it closes if another argument follows."""
        start = _GAP.match(text, place + 1).end()
        if start == len(text):
            return True if self.final or start - place > _REACH else None
        match = _ARGUMENT.match(text, start)
        if match is None:
            # A comma before the end of the arguments, or text that is no argument.
            return text[start] in ")]"
        # The name may continue, or its `=` is still to come.
        if match.end() == len(text) and not match[3] and not self.final:
            return None
        # `b=1`, not `b == 1`.
        is_argument = match[2] == "=" != match[3]
        # If the parameters are known, any other name is text.
        known = not self.parameters or match[1] in self.parameters
        return is_argument and known

    def _before_word(self, text: str, index: int, place: int) -> bool | None:
        """Decides for a quote with a word after it."""
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
        # `'a' if x else 'b'`: the string ends; the expression is refused later.
        return word in _EXPRESSION or "\n" in text[index:place]

"""Knows the marks of heredocs: the word behind `<<`, and the line of that word that ends the text.

Example: of `cat <<'EOF'` the mark is `EOF`; a text with a line `EOF` is written with `EOF1`.
"""

from __future__ import annotations

from toolgrammar.patterns.partial import partial
from toolgrammar.values.patterns import late

_WORD = r"[A-Za-z_][A-Za-z0-9_]*"
_MOST = r"{0,1024}"
"""How long a mark that closes may be, and the blanks beside it: no line keeps a stream waiting."""
OPENING = rf"['\"]?{_WORD}['\"]?"
"""The expression of a mark where the text begins: there it may stand in quotes."""
CLOSING = rf"(?m:^[ \t]{_MOST}[A-Za-z_][A-Za-z0-9_]{_MOST}[ \t\r]{_MOST}$)"
"""The expression of a line that any mark stands alone on."""
CLOSING_BEGINNINGS = partial(CLOSING) or ""
USUAL = "EOF"
"""The mark that is written where the text has no such line."""

_OPENED = late(rf"<<-?['\"]?({_WORD})")


def word(opening: str) -> str:
    """Returns the mark without its quotes."""
    return opening.strip("'\"")


def closing(marks: tuple[str, ...]) -> str:
    """Returns the expression of a line that one of these marks stands alone on."""
    # Longer ones first: of `END` and `ENDS`, the first alternative that matches is taken.
    found = "|".join(sorted(marks, key=len, reverse=True))
    return rf"(?m:^[ \t]*(?:{found})[ \t\r]*$)"


def marks_in(text: str) -> tuple[str, ...]:
    """Lists the marks that a text opens with `<<`."""
    return tuple(sorted(set(_OPENED.findall(text))))


def mark_round(text: str) -> str:
    """Returns a mark that no line of a text is."""
    lines = {line.strip() for line in text.splitlines()}
    number = 0
    # `EOF`, `EOF1` and so on: a text has only so many lines, so the loop ends.
    while (mark := f"{USUAL}{number or ''}") in lines:
        number += 1
    return mark

"""Defines the marks of heredocs: the word after `<<`, and the line that ends the text with it.

Example: of `cat <<'EOF'` the mark is `EOF`; a text with a line `EOF` is written with `EOF1`.
"""

from __future__ import annotations

from toolgrammar.patterns.partial import partial
from toolgrammar.values.patterns import late

_WORD = r"[A-Za-z_][A-Za-z0-9_]*"
_MOST = r"{0,1024}"
"""The maximal length of a closing mark, and of the blanks beside it: no line stalls a stream."""
OPENING: str = rf"['\"]?{_WORD}['\"]?"
"""The expression of a mark at the beginning of the text, where it may be in quotes."""
STRICT = rf"'{_WORD}'|\"{_WORD}\"|{_WORD}(?!['\"])"
"""The same with a quote on both sides, or on none."""
CLOSING = rf"(?m:^[ \t]{_MOST}[A-Za-z_][A-Za-z0-9_]{_MOST}[ \t\r]{_MOST}$)"
"""The expression of a line that consists of any mark."""
CLOSING_BEGINNINGS = partial(CLOSING) or ""
USUAL = "EOF"
"""The mark that is written if no line of the text equals it."""

_OPENED = late(rf"<<[-~]?[ \t]*['\"]?({_WORD})")


def word(opening: str) -> str:
    """Returns the mark without its quotes."""
    return opening.strip("'\"")


def quoted_alike(opening: str) -> str:
    """Returns a mark with the same quote on both sides: `'EOF` is a damaged `'EOF'`."""
    found = word(opening)
    quote = opening[0] if opening[0] in "'\"" else opening[-1]
    return f"{quote}{found}{quote}" if opening != found else found


def closing(marks: tuple[str, ...]) -> str:
    """Returns the expression of a line that consists of one of these marks."""
    # Longer ones first: of `END` and `ENDS`, the first alternative that matches would win.
    found = "|".join(sorted(marks, key=len, reverse=True))
    return rf"(?m:^[ \t]*(?:{found})[ \t\r]*$)"


def marks_in(text: str) -> tuple[str, ...]:
    """Lists the marks that a text opens with `<<`."""
    return tuple(sorted(set(_OPENED.findall(text))))


def mark_round(text: str) -> str:
    """Returns a mark that equals no line of a text."""
    lines = {line.strip() for line in text.splitlines()}
    number = 0
    # `EOF`, `EOF1` and so on: a text has finitely many lines, so the loop ends.
    while (mark := f"{USUAL}{number or ''}") in lines:
        number += 1
    return mark

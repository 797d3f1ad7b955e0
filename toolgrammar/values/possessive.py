"""Rewrites possessive repeats of groups as atomic groups, for Pythons that match them wrongly.

`(?:ab?c)++` becomes `(?>(?:ab?c)+)`. CPython before 3.11.5 does not restore the position if a round
of a possessive repeat fails after it began to match: `(?:ab?c)++` matched all of `aca` (gh-106052).
The atomic group means the same and is matched correctly there, but is slower, so that newer Pythons
do not use it.
"""

from __future__ import annotations

import re

# Parts that are copied (escapes, sets, comments), the parentheses of groups, and other text.
_PART = re.compile(
    r"(?P<kept>\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\(\?#[^)]*\))"
    r"|(?P<open>\()"
    r"|(?P<close>\))(?:(?P<repeat>[*+?]|\{(?!\})[0-9]*,?[0-9]*\})\+)?"
    r"|[^\\\[()]+",
    re.DOTALL,
)


def as_atomic(expression: str) -> str:
    """Returns an expression with the same matches and groups, without possessive repeats of groups.

    Args:
        expression: a regular expression in Python's syntax, without comments of the verbose kind.
    """
    pieces: list[str] = []
    # The index in `pieces` at which each open group begins.
    opened: list[int] = []
    for part in _PART.finditer(expression):
        if part["open"]:
            opened.append(len(pieces))
        # An unbalanced parenthesis is left to `re`, which reports it.
        start = opened.pop() if part["close"] and opened else None
        if start is not None and part["repeat"]:
            # `(…)*+` becomes `(?>(…)*)`.
            # The flags or the name of the group, as in `(?:` or `(?P<n>`, are in the piece after
            # it.
            pieces[start] = "(?>" + pieces[start]
            pieces.append(f"){part['repeat']})")
        else:
            pieces.append(part[0])
    return "".join(pieces)

"""Writes possessive repeats of groups as atomic groups, for the Pythons that read them wrongly.

CPython before 3.11.5 gives back too little where a round of a possessive repeat fails after it
began to match: `(?:ab?c)++` took all of `aca` (gh-106052). An atomic group around a plain repeat
means the same and is read rightly there; it takes longer, so that nothing else uses it.
"""

from __future__ import annotations

import re

_PART = re.compile(
    r"(?P<kept>\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\(\?#[^)]*\))"
    r"|(?P<open>\()"
    r"|(?P<close>\))(?:(?P<repeat>[*+?]|\{(?!\})[0-9]*,?[0-9]*\})\+)?"
    r"|[^\\\[()]+",
    re.DOTALL,
)


def as_atomic(expression: str) -> str:
    """Gives an expression of the same matches and groups without a possessive repeat of a group.

    Args:
        expression: a regular expression in Python's syntax, without comments of the verbose kind.
    """
    pieces: list[str] = []
    opened: list[int] = []
    for part in _PART.finditer(expression):
        if part["open"]:
            opened.append(len(pieces))
        start = opened.pop() if part["close"] and opened else None
        if start is not None and part["repeat"]:
            pieces[start] = "(?>" + pieces[start]
            pieces.append(f"){part['repeat']})")
        else:
            pieces.append(part[0])
    return "".join(pieces)

"""Writes possessive repeats of groups as atomic groups, for the Pythons that read them wrongly.

CPython before 3.11.5 gives back too little where a round of a possessive repeat fails after it
began to match: `(?:ab?c)++` took all of `aca` (gh-106052). An atomic group around a plain repeat
means the same and is read rightly there; it takes longer, so that nothing else uses it.
"""

from __future__ import annotations

import re

# What stands as it is (escapes, sets, comments), the brackets of groups, and all else.
_PART = re.compile(
    r"(?P<kept>\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\(\?#[^)]*\))"
    r"|(?P<open>\()"
    r"|(?P<close>\))(?:(?P<repeat>[*+?]|\{(?!\})[0-9]*,?[0-9]*\})\+)?"
    r"|[^\\\[()]+",
    re.DOTALL,
)


def as_atomic(expression: str) -> str:
    """Returns an expression of the same matches and groups without a possessive repeat of a group.

    Args:
        expression: a regular expression in Python's syntax, without comments of the verbose kind.
    """
    pieces: list[str] = []
    # Where among the pieces each open group begins.
    opened: list[int] = []
    for part in _PART.finditer(expression):
        if part["open"]:
            opened.append(len(pieces))
        # A closer without its opener is for `re` to refuse.
        start = opened.pop() if part["close"] and opened else None
        if start is not None and part["repeat"]:
            # `(…)*+` becomes `(?>(…)*)`.
            # The flags or the name of the group, `(?:` or `(?P<n>`, stand in the piece that
            # follows.
            pieces[start] = "(?>" + pieces[start]
            pieces.append(f"){part['repeat']})")
        else:
            pieces.append(part[0])
    return "".join(pieces)

"""Provides regular expressions that are compiled on first use, since most texts need few of them.

`late(r"[a-z]+")` compiles nothing yet; its first `match("ab1")` compiles it, and matches `ab`.
"""

from __future__ import annotations

import re
import sys
from typing import Any, Protocol, cast

_PUBLIC = (
    *("findall", "finditer", "fullmatch", "match", "search", "split", "sub", "subn"),
    *("flags", "groupindex", "groups", "pattern"),
)
"""The methods and attributes of a compiled pattern."""


READS_POSSESSIVE_GROUPS = sys.version_info >= (3, 11, 5)
"""Whether `re` of this Python matches possessive repeats of groups correctly: see `possessive`."""


def compile_pattern(expression: str, flags: int = 0) -> re.Pattern[str]:
    """Compiles an expression; possessive repeats of groups match correctly on every Python.

    Args:
        expression: a regular expression in Python's syntax.
        flags: those of `re.compile`.

    Raises:
        re.error: the expression is not valid.
    """
    # A possessive repeat is written with a plus.
    if not READS_POSSESSIVE_GROUPS and "+" in expression:
        from toolgrammar.values.possessive import as_atomic

        expression = as_atomic(expression)
    return re.compile(expression, flags)


class Matcher(Protocol):
    """The `match` method of a pattern that also matches the empty text."""

    def __call__(self, string: str, pos: int = 0, endpos: int = sys.maxsize) -> re.Match[str]:
        """Returns the match at `pos`; the text is read up to `endpos`."""
        ...


class Anywhere(Protocol):
    """A pattern that matches at every index, if only the empty text: `match` never returns None."""

    @property
    def match(self) -> Matcher:
        """Returns the match at an index of a text."""


class _Late:
    """Stands in for a compiled pattern, and compiles it when an attribute is first read."""

    # Empty slots at first: once they are filled, reading them does not call `__getattr__`.
    __slots__ = ("_expression", "_flags", "_is_anywhere", *_PUBLIC)

    def __init__(self, expression: str, flags: int, *, is_anywhere: bool) -> None:
        self._expression = expression
        self._flags = flags
        self._is_anywhere = is_anywhere

    def __getattr__(self, name: str) -> Any:
        # Python calls this method only while the slot is empty.
        if name not in _PUBLIC:
            raise AttributeError(f"a late pattern has no {name!r}; it has {', '.join(_PUBLIC)}")
        compiled = compile_pattern(self._expression, self._flags)
        if self._is_anywhere and compiled.match("") is None:
            raise ValueError(f"{self._expression!r} does not match everywhere: not an empty text")
        # All slots at once: from now on every method is that of the compiled pattern.
        for each in _PUBLIC:
            setattr(self, each, getattr(compiled, each))
        return getattr(compiled, name)


def late(expression: str, flags: int = 0) -> re.Pattern[str]:
    """Returns the pattern of an expression, which is compiled on first use.

    Args:
        expression: a regular expression in Python's syntax.
        flags: those of `re.compile`.
    """
    return cast("re.Pattern[str]", _Late(expression, flags, is_anywhere=False))


def anywhere(expression: str) -> Anywhere:
    """Returns the pattern of an expression that also matches the empty text, compiled on first use.

    If the expression does not match the empty text, the first use raises ValueError.
    """
    return cast("Anywhere", _Late(expression, 0, is_anywhere=True))


blanks = anywhere(r"\s*")
"""Matches white space, or the empty text."""

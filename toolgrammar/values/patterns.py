"""Regular expressions that are compiled when they are first used: most texts need few of them."""

from __future__ import annotations

import re
import sys
from typing import Any, Protocol, cast

_PUBLIC = (
    *("findall", "finditer", "fullmatch", "match", "search", "split", "sub", "subn"),
    *("flags", "groupindex", "groups", "pattern"),
)
"""What a compiled pattern has."""


READS_POSSESSIVE_GROUPS = sys.version_info >= (3, 11, 5)
"""Whether `re` reads the possessive repeat of a group rightly: see `possessive`."""


def compile_pattern(expression: str, flags: int = 0) -> re.Pattern[str]:
    """Compiles an expression, one with possessive repeats of groups rightly on every Python.

    Args:
        expression: a regular expression in Python's syntax.
        flags: those of `re.compile`.

    Raises:
        re.error: it is no regular expression.
    """
    # Without a plus there is no possessive repeat.
    if not READS_POSSESSIVE_GROUPS and "+" in expression:
        from toolgrammar.values.possessive import as_atomic

        expression = as_atomic(expression)
    return re.compile(expression, flags)


class Matcher(Protocol):
    """The `match` of a pattern that also matches nothing."""

    def __call__(self, string: str, pos: int = 0, endpos: int = sys.maxsize) -> re.Match[str]:
        """Matches at `pos`, and looks no further than `endpos`."""
        ...


class Anywhere(Protocol):
    """A pattern that matches anywhere, be it nothing, so that nobody asks whether it did."""

    @property
    def match(self) -> Matcher:
        """Matches at an index of a text."""


class _Late:
    """Looks like a compiled pattern; its slots are filled when one is first asked for."""

    # Slots that are empty at first: a filled one is found without `__getattr__`.
    __slots__ = ("_expression", "_flags", "_is_anywhere", *_PUBLIC)

    def __init__(self, expression: str, flags: int, *, is_anywhere: bool) -> None:
        self._expression = expression
        self._flags = flags
        self._is_anywhere = is_anywhere

    def __getattr__(self, name: str) -> Any:
        # Python asks here only while the slots are empty.
        if name not in _PUBLIC:
            raise AttributeError(f"a late pattern has no {name!r}; it has {', '.join(_PUBLIC)}")
        compiled = compile_pattern(self._expression, self._flags)
        if self._is_anywhere and compiled.match("") is None:
            raise ValueError(f"{self._expression!r} does not match everywhere: not an empty text")
        # All at once: from now on every method is that of the compiled pattern.
        for each in _PUBLIC:
            setattr(self, each, getattr(compiled, each))
        return getattr(compiled, name)


def late(expression: str, flags: int = 0) -> re.Pattern[str]:
    """Returns the pattern of an expression, compiled when it is first used.

    Args:
        expression: a regular expression in Python's syntax.
        flags: those of `re.compile`.
    """
    return cast("re.Pattern[str]", _Late(expression, flags, is_anywhere=False))


def anywhere(expression: str) -> Anywhere:
    """Returns the pattern of an expression that also matches nothing, compiled on first use.

    Where it does not, using it raises ValueError.
    """
    return cast("Anywhere", _Late(expression, 0, is_anywhere=True))


blanks = anywhere(r"\s*")
"""Matches white space, or nothing."""

"""Defines the exceptions; all of them report a mistake of the caller, never of the model.

```
ToolGrammarError
├── ParseError                   raise_for_errors() of a result that is not ok
├── UnknownFormat (LookupError)  no format has this name
├── GrammarError (ValueError)    a grammar file is broken; points at file, line and column
└── RenderError (ValueError)     the format can't express this value
```

A value of the wrong Python type raises a plain `TypeError`, a missing extra an `ImportError`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from importlib.util import find_spec
from types import NoneType
from typing import Any, Final

__all__ = ["GrammarError", "RenderError", "ToolGrammarError", "UnknownFormat"]


LISTED: Final = "toolgrammar.formats lists them all"
"""Ends the message of `UnknownFormat` in Python; the command line replaces it by its own hint."""


class ToolGrammarError(Exception):
    """The base class: a mistake of the caller. The text of a model never raises."""


class UnknownFormat(ToolGrammarError, LookupError):  # noqa: N818 - a public name
    """Raised if no format has the given name; the message names the nearest ids."""


class GrammarError(ToolGrammarError, ValueError):
    """Raised if a grammar file is broken.

    Attributes:
        message: what is wrong, without the place.
        file: the path of the file, "" if the grammar is not in a file.
        line: the line, from 1; 0 if unknown.
        column: the column, from 1; 0 if unknown.
        hint: what to do about it, or "".
        code: the id of the finding, or "".
    """

    def __init__(
        self,
        message: str,
        *,
        file: str = "",
        line: int = 0,
        column: int = 0,
        hint: str = "",
        code: str = "",
    ) -> None:
        super().__init__(message)
        self.message = message
        self.file = file
        self.line = line
        self.column = column
        self.hint = hint
        self.code = code

    def __str__(self) -> str:
        place = self.file
        if self.line:
            # A grammar that was passed as a string has lines, but no file.
            # `grammar.lark:3:7`, the notation of compilers, which editors turn into a link.
            place = f"{place or '<grammar>'}:{self.line}"
            place += f":{self.column}" if self.column else ""
        said = f"{self.code} {self.message}" if self.code else self.message
        said = f"{place}: {said}" if place else said
        return f"{said}\nhint: {self.hint}" if self.hint else said

    def __reduce__(self) -> tuple[Any, ...]:
        # `Exception.__reduce__` restores positional arguments only; the place is in keywords.
        place = {name: getattr(self, name) for name in ("file", "line", "column", "hint", "code")}
        return partial(type(self), **place), (self.message,)


def raise_first(findings: Sequence[GrammarError]) -> None:
    """Raises the first of several findings about a grammar, with the others as its notes.

    Raises:
        GrammarError: there is a finding.
    """
    if not findings:
        return
    first, *others = findings
    for other in others:
        for each in (str(other), *getattr(other, "__notes__", ())):
            first.add_note(each)
    raise first


class RenderError(ToolGrammarError, ValueError):
    """Raised if a format can't express the calls or the text that should be written in it."""


def described(value: object) -> str:
    """Returns a value for an error message: its type, and its repr cut to 60 characters."""
    text = repr(value)
    return f"{type(value).__name__} {text if len(text) <= 60 else text[:57] + '...'}"


def check_type(what: str, value: object, wanted: type | tuple[type, ...], mend: str = "") -> None:
    """Checks the type of an argument.

    Args:
        what: the name of the argument.
        value: the value that the caller passed.
        wanted: the accepted type, or several.
        mend: how to mend the mistake, for the message.

    Raises:
        TypeError: the value has another type: "result must be a ParseResult, got str 'Hi': parse
            it first".
    """
    # `True` is an `int` in Python, but a caller who passes it does not mean a number.
    if isinstance(value, wanted) and not (wanted is int and isinstance(value, bool)):
        return
    kinds = wanted if isinstance(wanted, tuple) else (wanted,)
    names = " or ".join("None" if kind is NoneType else kind.__name__ for kind in kinds)
    article = "an" if names[0] in "AEIOaeio" else "a"
    raise TypeError(f"{what} must be {article} {names}, got {_got(value, mend)}")


def check_several(what: str, values: object, wanted: str, mend: str = "") -> None:
    """Checks that an argument is an iterable of items, not a single text or mapping.

    Args:
        what: the name of the argument.
        values: the value that the caller passed.
        wanted: what it should be, for the message.
        mend: how to mend the mistake, for the message.

    Raises:
        TypeError: the value is not a list of items: "calls must be a list of ToolCall, got str
            'Hi'".
    """
    # Iterating over a text would give its characters, and over a dict its keys.
    if isinstance(values, str | bytes | Mapping) or not isinstance(values, Iterable):
        raise TypeError(f"{what} must be {wanted}, got {_got(values, mend)}")


def _got(value: object, mend: str) -> str:
    if hasattr(value, "__await__"):
        # The result of an async client that was not awaited: the most common mistake.
        mend = "await it first"
    return f"{described(value)}: {mend}" if mend else described(value)


def check_extra(package: str, needs: str, extra: str) -> None:
    """Checks that a package of an extra is installed, without importing it.

    Args:
        package: its name, as it is imported.
        needs: what needs it, as `plots need matplotlib`.
        extra: the extra of this package that brings it.

    Raises:
        ImportError: it is not installed: "plots need matplotlib: pip install 'toolgrammar[bench]'".
    """
    try:
        found = find_spec(package)
    except ImportError:  # an import hook may refuse even the look-up
        found = None
    if found is None:
        raise ImportError(f"{needs}: pip install 'toolgrammar[{extra}]'", name=package)

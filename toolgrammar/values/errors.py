"""The exceptions, all of them for the caller's mistakes.

```
ToolGrammarError
├── ParseError                   raise_for_errors() of a result that is not ok; carries it
├── UnknownFormat (LookupError)  no format has this name
├── GrammarError (ValueError)    a grammar file is broken; points at file, line and column
└── RenderError (ValueError)     the format can't carry this value
```

What has the wrong Python type raises a plain `TypeError`, a missing extra an `ImportError`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from types import NoneType
from typing import Any, Final

__all__ = ["GrammarError", "RenderError", "ToolGrammarError", "UnknownFormat"]


LISTED: Final = "toolgrammar.formats lists them all"
"""Where Python shows all formats; the command line has words of its own."""


class ToolGrammarError(Exception):
    """A caller's mistake; the text of a model never raises."""


class UnknownFormat(ToolGrammarError, LookupError):  # noqa: N818 - a public name
    """No format has the given name; the message names the nearest ids."""


class GrammarError(ToolGrammarError, ValueError):
    """A grammar file is broken.

    Attributes:
        message: what is wrong, without the place.
        file: the path of the file, "" when the grammar is in no file.
        line: the line, from 1; 0 when unknown.
        column: the column, from 1; 0 when unknown.
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
            # A grammar that came as a string has lines, and no file.
            # `grammar.lark:3:7`, as editors and compilers write it, so that a click leads there.
            place = f"{place or '<grammar>'}:{self.line}"
            place += f":{self.column}" if self.column else ""
        said = f"{self.code} {self.message}" if self.code else self.message
        said = f"{place}: {said}" if place else said
        return f"{said}\nhint: {self.hint}" if self.hint else said

    def __reduce__(self) -> tuple[Any, ...]:
        # An exception is rebuilt from its positional arguments; the place is not among them.
        place = {name: getattr(self, name) for name in ("file", "line", "column", "hint", "code")}
        return partial(type(self), **place), (self.message,)


class RenderError(ToolGrammarError, ValueError):
    """The format can't carry what was to be written in it."""


def described(value: object) -> str:
    """Returns a value as an error shows it: its type, and how it begins."""
    text = repr(value)
    return f"{type(value).__name__} {text if len(text) <= 60 else text[:57] + '...'}"


def check_type(what: str, value: object, wanted: type | tuple[type, ...], mend: str = "") -> None:
    """Makes sure that a caller handed in what is wanted.

    Args:
        what: the name of the argument.
        value: what was handed in.
        wanted: its type, or one of several.
        mend: what to do about another.

    Raises:
        TypeError: it is another: "result must be a ParseResult, got str 'Hi': parse it first".
    """
    # `True` is an `int` for Python, and no number of anything for a caller.
    if isinstance(value, wanted) and not (wanted is int and isinstance(value, bool)):
        return
    kinds = wanted if isinstance(wanted, tuple) else (wanted,)
    names = " or ".join("None" if kind is NoneType else kind.__name__ for kind in kinds)
    article = "an" if names[0] in "AEIOaeio" else "a"
    raise TypeError(f"{what} must be {article} {names}, got {_got(value, mend)}")


def check_several(what: str, values: object, wanted: str, mend: str = "") -> None:
    """Makes sure that a caller handed in several things, which can be gone through.

    Args:
        what: the name of the argument.
        values: what was handed in.
        wanted: what it should be.
        mend: what to do about anything else.

    Raises:
        TypeError: it is one thing, or none: "calls must be a list of ToolCall, got str 'Hi'".
    """
    # Python would take a text for its characters, and a dict for its keys.
    if isinstance(values, str | bytes | Mapping) or not isinstance(values, Iterable):
        raise TypeError(f"{what} must be {wanted}, got {_got(values, mend)}")


def _got(value: object, mend: str) -> str:
    if hasattr(value, "__await__"):
        # Asked of an async client and not waited for: the most likely mistake of all.
        mend = "await it first"
    return f"{described(value)}: {mend}" if mend else described(value)

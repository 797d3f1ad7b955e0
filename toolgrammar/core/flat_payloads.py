"""Reads whole payloads in Python and with bare keys that hold plain values alone, at regex speed.

Most arguments are strings and numbers. Each member is matched by one expression, which takes only
what the scanner of the payload takes too; anything else is left to it.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Final

from toolgrammar.core.json_whole import has_surrogate
from toolgrammar.values.patterns import compile_pattern

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeAlias

    from toolgrammar.core.tables import Terminal
    from toolgrammar.values.json_types import JsonValue

    _Matcher: TypeAlias = Callable[[str, int], re.Match[str] | None]

_NAME: Final = r"\s*+([A-Za-z_][A-Za-z0-9_]*+)\s*+"
_NUMBER: Final = r"(-?(?:0|[1-9][0-9]{0,17}+)(?:\.[0-9]{1,17}+)?+)(?![\w.+-])"
_ESCAPE: Final = r"""\\[nrt'"\\]"""
_WORDS: Final[dict[str, JsonValue]] = {
    "True": True,
    "False": False,
    "None": None,
    "true": True,
    "false": False,
    "null": None,
}


def read_flat(terminal: Terminal, text: str, start: int) -> tuple[JsonValue, int] | None:
    """Gives the value of a payload and its end, or None where it is not flat and plain."""
    if terminal.name == "PYTHON_ARGUMENTS":
        return _read(_python(), text, start, escapes=True)
    if terminal.name == "BARE_OBJECT" and text.startswith("{", start):
        found = _read(_bare(terminal.marks), text, start + 1, escapes=False)
        return (found[0], found[1] + 1) if found is not None else None
    return None


def _read(
    match_member: _Matcher, text: str, position: int, *, escapes: bool
) -> tuple[JsonValue, int] | None:
    found: dict[str, JsonValue] = {}
    while True:
        match = match_member(text, position)
        if match is None:
            return None
        name, single, double, number, word, *_, closer = match.groups()
        if name in found:
            return None
        if single is not None or double is not None:
            string = _string(double if single is None else single, escapes=escapes)
            if string is None:
                return None
            found[name] = string
        elif number is not None:
            found[name] = float(number) if "." in number else int(number)
        else:
            found[name] = _WORDS[word]
        position = match.end()
        if closer is not None:
            return found, position - 1


def _string(written: str, *, escapes: bool) -> str | None:
    """Gives what a string between its quotes means; None where it holds half a surrogate pair."""
    if not written.isascii() and has_surrogate(written):
        return None
    if not escapes or "\\" not in written:
        return written
    # Only escapes of one letter got here: no backslash stands before what is written as a number.
    return written.encode("latin-1", "backslashreplace").decode("unicode_escape")


@cache
def _python() -> _Matcher:
    """Makes the expression of a keyword argument."""
    single, double = (rf"[^{quote}\\\n\r]*+" for quote in "'\"")
    return compile_pattern(
        rf"""{_NAME}=\s*+(?:'({single}(?:{_ESCAPE}{single})*+)'(?!')"""
        rf"""|"({double}(?:{_ESCAPE}{double})*+)"(?!")"""
        rf"""|{_NUMBER}|(True|False|None)\b)\s*+(?:,(?={_NAME}=(?!=))|(\)))"""
    ).match


@cache
def _bare(marks: tuple[str, ...]) -> _Matcher:
    """Makes the expression of a member whose strings stand between these quotes."""
    long = next((mark for mark in marks if len(mark) > 1), "")
    short = next((mark for mark in marks if mark in "\"'"), "")
    first = second = r"(?!)()"
    if long:
        run, head, tail = f"[^{re.escape(long[0])}]*+", *map(re.escape, (long[0], long[1:]))
        first = rf"{head}{tail}({run}(?:{head}(?!{tail}){run})*+){head}{tail}"
    if short:
        second = rf"{short}([^{short}\\\n\r]*+){short}"
    return compile_pattern(
        rf"{_NAME}:\s*+(?:{first}|{second}|{_NUMBER}|(true|false|null)\b)"
        rf"\s*+(?:,(?={_NAME}:)|(\}}))"
    ).match

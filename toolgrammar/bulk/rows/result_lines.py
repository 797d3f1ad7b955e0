"""Writes results as lines of JSON, in the shape of `ParseResult.to_dict`.

With msgspec results go to bytes without a dict in between: their fields stand in the order of
`to_dict`. What msgspec would not write as it is goes through `to_dict` and the standard library.
"""

from __future__ import annotations

import json
import math
import re
from functools import cache
from typing import TYPE_CHECKING, Any

from toolgrammar.values.calls import ParseResult
from toolgrammar.values.plain import SCHEMA

if TYPE_CHECKING:
    from collections.abc import Callable

# Strings are matched first, so that "NaN" inside one is not replaced.
_CONSTANT = re.compile(r'"(?:[^"\\]|\\.)*"|-?Infinity|NaN')
_WRITTEN = {"Infinity": "1e999", "-Infinity": "-1e999", "NaN": "null"}
"""JSON for values without a literal: a number that every reader rounds to infinity, or null."""
_WAITING = 24
"""The number of results that are encoded together."""
_DEEPEST = 400
"""The levels of nesting that every JSON library can write; `Limits` usually allows fewer."""
_ODD, _TOO_DEEP = "odd", "too deep"


def plain_json(value: object, default: Callable[[object], object] | None = None) -> bytes:
    """Returns a value as compact JSON.

    Args:
        value: the value.
        default: returns the plain value for one of a type that JSON lacks.
    """
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=default)
    # Rare, so that most values need no regular expression.
    if "Infinity" in text or "NaN" in text:
        text = _CONSTANT.sub(lambda match: _WRITTEN.get(match[0], match[0]), text)
    try:
        return text.encode()
    except UnicodeEncodeError:  # half a surrogate pair, which only an escape can carry
        return re.sub(r"[\ud800-\udfff]", lambda half: f"\\u{ord(half[0]):04x}", text).encode()


class PlainLines:
    """Collects lines of results, written by the standard library."""

    def __init__(self) -> None:
        self.parts: list[bytes] = []

    def add(self, result: ParseResult, kept: bytes, source: str) -> bool:
        """Appends a result, what is kept of its row, and its source, which may be omitted.

        Returns false, and appends nothing, where the arguments nest too deeply to be written.
        """
        if _kind_of(result) == _TOO_DEEP:
            return False
        self.write(result, kept, source)
        return True

    def write(self, result: ParseResult, kept: bytes, source: str) -> None:
        """Appends the line of a result."""
        line = plain_json({**result.to_dict(), "source": source})
        # What is kept is JSON already: it is inserted before the closing brace.
        self.parts.append(b'%b,"row":%b}\n' % (line[:-1], kept) if kept else line + b"\n")

    def taken(self) -> list[bytes]:
        """Returns all lines, cut anywhere; to join them would take time."""
        return self.parts


class FastLines(PlainLines):
    """Collects lines of results, written by msgspec in batches, since each call of it is slow."""

    def __init__(self) -> None:
        super().__init__()
        self._waiting: list[Any] = []
        self._line, self._raw, self._unset, self._encode = _fast()

    def add(self, result: ParseResult, kept: bytes, source: str) -> bool:
        """Appends a result, what is kept of its row, and its source, which may be omitted.

        Returns false, and appends nothing, where the arguments nest too deeply to be written.
        """
        calls, diagnostics, waiting = result.calls, result.diagnostics, self._waiting
        # Only what is not a string can be odd or deep, and most arguments are strings.
        if any(type(value) is not str for call in calls for value in call.arguments.values()):
            kind = _kind_of(result)
            if kind == _ODD:
                # Keeps the order: the waiting results come before this one.
                self._flush()
                self.write(result, kept, source)
            if kind:
                return kind == _ODD
        waiting.append(
            self._line(
                SCHEMA,
                # `result.ok`, with a shortcut for results without diagnostics.
                not diagnostics or result.ok,
                calls,
                result.text,
                result.reasoning,
                diagnostics,
                result.format,
                source,
                result.digest,
                self._raw(kept) if kept else self._unset,
            )
        )
        if len(waiting) >= _WAITING:
            self._flush()
        return True

    def taken(self) -> list[bytes]:
        """Returns all lines, cut anywhere."""
        self._flush()
        return super().taken()

    def _flush(self) -> None:
        waiting = self._waiting
        try:
            self.parts.append(self._encode(waiting))
        # One of the lines can't be encoded: each is written by the standard library.
        except (TypeError, ValueError):  # half a surrogate pair, for one
            for line in waiting:
                result = ParseResult(
                    line.calls,
                    line.text,
                    line.reasoning,
                    line.diagnostics,
                    line.format,
                    line.source,
                    line.digest,
                )
                # An unset row has no bytes.
                kept = b"" if line.row is self._unset else bytes(line.row)
                self.write(result, kept, line.source)
        waiting.clear()


def new_lines() -> PlainLines:
    """Returns the collector for the lines of a chunk."""
    return PlainLines() if _fast() is None else FastLines()


@cache
def _fast() -> Any:
    """Makes what msgspec needs: the class of a line, of raw JSON, what is unset, the encoder."""
    try:
        import msgspec
    except ImportError:
        return None
    # The keys of `to_dict`, in their order. What is unset is not written.
    names = [*ParseResult().to_dict(), "row"]
    fields: list[Any] = [(name, Any, msgspec.UNSET) for name in names]
    # As for rows: no cycles, no work for the garbage collector.
    line = msgspec.defstruct("Line", fields, gc=False)
    return line, msgspec.Raw, msgspec.UNSET, msgspec.json.Encoder().encode_lines


def _kind_of(result: ParseResult) -> str:
    """Whether the arguments contain a number that JSON can't express, or nest too deeply."""
    kind = ""
    level: list[Any] = [call.arguments for call in result.calls]
    # Level by level instead of by recursion, which deep nesting would overflow.
    for _ in range(_DEEPEST):
        below: list[Any] = []
        for each in level:
            for value in each.values() if isinstance(each, dict) else each:
                if isinstance(value, dict | list | tuple):
                    below.append(value)
                elif isinstance(value, float) and not math.isfinite(value):
                    kind = _ODD
        if not below:
            return kind
        level = below
    return _TOO_DEEP

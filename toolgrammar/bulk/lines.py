"""Writes results as lines of JSON, in the shape of `ParseResult.to_dict`.

With msgspec a result goes to bytes without a dict in between: its fields stand in the order of
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

    Write = Callable[[bytearray, ParseResult, bytes, str], None]

_CONSTANT = re.compile(r'"(?:[^"\\]|\\.)*"|-?Infinity|NaN')
_WRITTEN = {"Infinity": "1e999", "-Infinity": "-1e999", "NaN": "null"}
"""JSON for what JSON has no word for: a number that every reader rounds to infinity, or nothing."""


def plain_json(value: object) -> bytes:
    """Returns a value as compact JSON."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    if "Infinity" in text or "NaN" in text:
        text = _CONSTANT.sub(lambda match: _WRITTEN.get(match[0], match[0]), text)
    try:
        return text.encode()
    except UnicodeEncodeError:  # half a surrogate pair, which only an escape can carry
        return re.sub(r"[\ud800-\udfff]", lambda half: f"\\u{ord(half[0]):04x}", text).encode()


def write_plain(buffer: bytearray, result: ParseResult, kept: bytes, source: str) -> None:
    """Appends a result and what is kept of its row, by the standard library alone."""
    buffer += plain_json({**result.to_dict(), "source": source})
    if kept:
        buffer[-1:] = b',"row":%b}' % kept
    buffer += b"\n"


@cache
def writer() -> Write:
    """Returns what appends one line: of a result, what is kept of its row, and its source.

    The source is the caller's to say: it may be left out.
    """
    try:
        import msgspec
    except ImportError:
        return write_plain
    encode = msgspec.json.Encoder().encode
    # The keys of `to_dict`, in their order. What is unset is not written.
    names = [*ParseResult().to_dict(), "row"]
    fields: list[Any] = [(name, Any, msgspec.UNSET) for name in names]
    line: Any = msgspec.defstruct("Line", fields, gc=False)
    raw, unset = msgspec.Raw, msgspec.UNSET

    def write(buffer: bytearray, result: ParseResult, kept: bytes, source: str) -> None:
        calls, diagnostics = result.calls, result.diagnostics
        for call in calls:
            for value in call.arguments.values():
                if type(value) is not str and _has_odd_number(value):
                    write_plain(buffer, result, kept, source)
                    return
        try:
            buffer += encode(
                line(
                    SCHEMA,
                    not diagnostics or result.ok,
                    calls,
                    result.text,
                    result.reasoning,
                    diagnostics,
                    result.format,
                    source,
                    result.digest,
                    raw(kept) if kept else unset,
                )
            )
        except (TypeError, ValueError, RecursionError):
            write_plain(buffer, result, kept, source)
        else:
            buffer += b"\n"

    return write


def _has_odd_number(value: object) -> bool:
    """Whether a number is in a value that msgspec would write as null."""
    pending: list[Any] = [value]
    while pending:
        each = pending.pop()
        if isinstance(each, dict):
            pending.extend(each.values())
        elif isinstance(each, list | tuple):
            pending.extend(each)
        elif isinstance(each, float) and not math.isfinite(each):
            return True
    return False

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

from toolgrammar.values.making import make_result
from toolgrammar.values.plain import SCHEMA

if TYPE_CHECKING:
    from collections.abc import Callable

    from toolgrammar.values.calls import ParseResult

    Write = Callable[[bytearray, ParseResult, bytes], None]

_OK = b'{"schema":%d,"ok":true' % SCHEMA
_NOT_OK = b'{"schema":%d,"ok":false' % SCHEMA
_COMMA = 0x2C
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


def without_source(result: ParseResult) -> ParseResult:
    """Returns a result that does not repeat the message."""
    return make_result(
        result.calls,
        result.text,
        result.reasoning,
        result.diagnostics,
        result.format,
        "",
        result.digest,
    )


def write_plain(buffer: bytearray, result: ParseResult, kept: bytes) -> None:
    """Appends a result and what is kept of its row, by the standard library alone."""
    buffer += plain_json(result.to_dict())
    _end(buffer, kept)


@cache
def writer() -> Write:
    """Returns what appends a result, and what is kept of its row, as one line."""
    try:
        import msgspec
    except ImportError:
        return write_plain
    encode_into: Callable[[object, bytearray, int], None] = msgspec.json.Encoder().encode_into

    def write(buffer: bytearray, result: ParseResult, kept: bytes) -> None:
        start = len(buffer)
        buffer += _OK if not result.diagnostics or result.ok else _NOT_OK
        place = len(buffer)
        try:
            encode_into(result, buffer, place)
        except (TypeError, ValueError, RecursionError):
            del buffer[start:]
            write_plain(buffer, result, kept)
            return
        if buffer.count(b"null", place) != _absent(result) and _has_odd_number(result):
            del buffer[start:]
            write_plain(buffer, result, kept)
            return
        buffer[place] = _COMMA
        _end(buffer, kept)

    return write


def _end(buffer: bytearray, kept: bytes) -> None:
    if kept:
        buffer[-1:] = b',"row":%b}' % kept
    buffer += b"\n"


def _absent(result: ParseResult) -> int:
    """Counts the fields that are null in the JSON of a result, arguments apart."""
    count = 0
    for call in result.calls:
        count += (call.id is None) + (call.input is None) + (call.error is None)
    return count


def _has_odd_number(result: ParseResult) -> bool:
    """Whether an argument is a number that msgspec writes as null."""
    pending: list[Any] = [call.arguments for call in result.calls]
    while pending:
        value = pending.pop()
        if isinstance(value, dict):
            pending.extend(value.values())
        elif isinstance(value, list | tuple):
            pending.extend(value)
        elif isinstance(value, float) and not math.isfinite(value):
            return True
    return False

"""Reads the wanted columns of rows in lines of JSON.

A row is good when its line is JSON (RFC 8259, but for a `NaN` in a column that nobody wants) and the
column holds a string or null. Where msgspec is installed, it reads whole chunks in which every row is good and stands on
one line; a chunk that it refuses is read line by line. Other columns are skipped.
`{"text": "Hi.", "id": 7}` is a row with the message `Hi.`; with `keep=["id"]` also `{"id": 7}`.
"""

from __future__ import annotations

import itertools
import json
from functools import cache
from itertools import islice, repeat
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final, NoReturn, TypeAlias

from toolgrammar.bulk.rows.columns_of_rows import value_at
from toolgrammar.bulk.rows.plain_values import plain_value, without_nulls
from toolgrammar.bulk.rows.result_lines import plain_json

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

# Some editors write it at the beginning of a file; `json` refuses it.
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_MISSING: Final = object()
"""The message of a row that has none; None is an empty message."""
_SHOWN = 5
_LONGEST_NAME = 40


Row: TypeAlias = tuple[int, "str | bytes | None", bytes, str]
"""A row: the number of its line or place (the first is 1), its message, the other wanted columns as a
JSON object, and the reason why it has no message, or "". A plain tuple, since there are millions."""


def rows_of_lines(
    data: bytes, first: int, count: int, column: str, keep: tuple[str, ...]
) -> Iterator[Row]:
    """Returns the rows in whole lines of JSON.

    Args:
        data: the lines.
        first: the number of the first line.
        count: how many lines there are.
        column: where a row has its message: the name of a column, or the path to it.
        keep: what else is wanted of a row.
    """
    # Only the first line of a file can begin with it.
    if first == 1:
        data = data.removeprefix(_BYTE_ORDER_MARK)
    decode = _decoder(column, keep)
    texts: list[str | None] | None = None
    # One empty value for all rows.
    kept: Iterable[bytes] = repeat(b"")
    # With `}` before and `{` after each line end, each line has to be one row.
    if (
        decode is not None
        and data.startswith(b"{")
        and data.count(b"}\n{") == count - 1
        # Kept columns are copied to the output as bytes, so they have to be UTF-8.
        and (not keep or _is_utf8(data))
    ):
        found = decode(data)
        # Otherwise there may be blank lines, which the slow path skips and counts.
        if found is not None and len(found[0]) == count:
            texts = found[0]
            if keep:
                kept = (_joined(keep, values) for values in zip(*found[1:], strict=True))
    if texts is None:
        return _line_by_line(data, first, column, keep)
    # `zip` reuses its tuple if it is not kept: no object per row.
    return zip(itertools.count(first), texts, kept, repeat(""))


def checked(number: int, value: object, column: str, kept: bytes = b"") -> Row:
    """Returns the row of a value that does not come from a file of lines."""
    # None is an empty message; a number or an object is not a message.
    if value is None or isinstance(value, str | bytes):
        return (number, value, kept, "")
    if isinstance(value, float) and value != value:  # noqa: PLR0124 - NaN: pandas has no message here
        return (number, None, kept, "")
    return (number, None, kept, f"`{column}` is {_kind(value)}, not a string")


def row_of(number: int, row: Mapping[Any, Any], column: str, keep: tuple[str, ...]) -> Row:
    """Returns the row in a mapping."""
    return _row_of(number, row, column, keep, lambda value: value)


def row_of_table(number: int, row: Mapping[Any, Any], column: str, keep: tuple[str, ...]) -> Row:
    """Returns the row of an Arrow table, whose objects have null for each member that they lack."""
    return _row_of(number, row, column, keep, without_nulls)


def _row_of(
    number: int,
    row: Mapping[Any, Any],
    column: str,
    keep: tuple[str, ...],
    kept_value: Callable[[object], object],
) -> Row:
    message = value_at(row, column, _MISSING)
    if message is _MISSING:
        return (number, None, b"", _lacks(row, column))
    kept = b""
    if keep:
        try:
            # A column that this row lacks is omitted; only the one with the message has to be
            # there.
            wanted = {name: kept_value(row[name]) for name in keep if name in row}
            kept = plain_json(wanted, plain_value)
        except (TypeError, ValueError, RecursionError) as error:
            return (number, None, b"", f"what is kept of it is no JSON: {error}")
    return checked(number, message, column, kept)


def _lacks(row: Mapping[Any, Any], column: str) -> str:
    """Returns the reason for a missing column, with the names of the columns in the row."""
    # Only a few names, shortened: a data frame may have hundreds of columns.
    names = [f"`{str(name)[:_LONGEST_NAME]}`" for name in islice(row, _SHOWN)]
    there = f"; it has {', '.join(names)}{' …' if len(row) > _SHOWN else ''}" if names else ""
    return f"it has no `{column}`{there}"


def _line_by_line(data: bytes, first: int, column: str, keep: tuple[str, ...]) -> Iterator[Row]:
    for number, line in enumerate(data.split(b"\n"), first):
        # A blank line is not a row, but is counted, so that numbers agree with an editor's.
        if line and not line.isspace():
            yield _row(number, line, column, keep)


def _row(number: int, line: bytes, column: str, keep: tuple[str, ...]) -> Row:
    """Returns the row in one line, read with the standard library."""
    try:
        row = _read(line)
    except json.JSONDecodeError as error:
        # Some of its messages end with " at", for a position to follow.
        said = error.msg.removesuffix(" at")
        return (number, None, b"", f"it is not JSON: {said} at column {error.colno}")
    except ValueError as error:
        return (number, None, b"", f"it is not JSON: {error}")
    if not isinstance(row, dict):
        return (number, None, b"", f"it is {_kind(row)}, not an object")
    message = value_at(row, column, _MISSING)
    if message is _MISSING:
        return (number, None, b"", _lacks(row, column))
    wanted = {name: row[name] for name in keep if name in row}
    if b"NaN" in line or b"Infinity" in line:
        try:
            plain_json((message, wanted), _refuse)
        except ValueError as error:
            return (number, None, b"", f"it is not JSON: {error}")
    if not _is_utf8(line) and _has_escaped_byte((message, wanted)):
        return (number, None, b"", "it has bytes that are not UTF-8")
    return checked(number, message, column, plain_json(wanted) if keep else b"")


class _Constant:
    """A `NaN` or an infinity in a line: no JSON, and of no harm in a column that nobody wants."""

    def __init__(self, name: str) -> None:
        self.name = name


def _read(line: bytes) -> object:
    """Returns the value in a line.

    Raises:
        ValueError: it is not JSON, or nests too deeply.
    """
    try:
        # Bytes that are no UTF-8 become half surrogates: they matter only in wanted columns.
        text = line.decode("utf-8", "surrogateescape")
        value: object = json.loads(text, parse_constant=_Constant)
    except RecursionError as error:
        raise ValueError("lists and objects nest too deeply in it") from error
    return value


def _refuse(value: object) -> NoReturn:
    name = value.name if isinstance(value, _Constant) else repr(value)
    raise ValueError(f"`{name}` is no JSON")


# `surrogateescape` makes U+DC80 to U+DCFF of bytes that are not UTF-8.
def _has_escaped_byte(values: tuple[object, Mapping[str, object]]) -> bool:
    written = json.dumps(values, ensure_ascii=False)
    return any("\udc80" <= character <= "\udcff" for character in written)


def _is_utf8(data: bytes) -> bool:
    if data.isascii():
        return True
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def _joined(keep: tuple[str, ...], values: Iterable[bytes | None]) -> bytes:
    """Returns the kept columns as a JSON object; values are copied as they were written."""
    parts = [
        b"%b:%b" % (plain_json(name), value)
        for name, value in zip(keep, values, strict=True)
        # None means that the row lacks the column.
        if value is not None
    ]
    return b"{%b}" % b",".join(parts)


@cache
def _decoder(
    column: str, keep: tuple[str, ...]
) -> Callable[[bytes], list[list[Any]] | None] | None:
    """Returns a decoder of a chunk of lines into columns; None if msgspec is not installed."""
    try:
        import msgspec
    except ImportError:
        return None
    # `str | None`: a chunk with a number in this column is refused, and read line by line. So is one
    # in which `column` is a path: the decoder has no name for a key of an inner object.
    fields: list[Any] = [("text", str | None)]
    # `Raw` keeps the bytes of the line, which need not be decoded and encoded.
    fields += [(f"kept{place}", msgspec.Raw, None) for place in range(len(keep))]
    rename = {"text": column} | {f"kept{place}": name for place, name in enumerate(keep)}
    # msgspec refuses a class with two fields of the same name.
    if len(set(rename.values())) < len(rename):
        return None
    # Rows can't form cycles, so they need no garbage collection.
    kind = msgspec.defstruct("Line", fields, rename=rename, gc=False)
    decoder = msgspec.json.Decoder(kind)
    columns = [attrgetter(name) for name in rename]

    def decode(data: bytes) -> list[list[Any]] | None:
        try:
            rows: list[Any] = decoder.decode_lines(data)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            return None
        return [list(map(of, rows)) for of in columns]

    return decode


def _kind(value: object) -> str:
    match value:
        # Before numbers: True is an int.
        case bool():
            return "a boolean"
        case int() | float():
            return "a number"
        case dict():
            return "an object"
        case list() | tuple():
            return "an array"
        case None:
            return "null"
        case str():
            return "a string"
        case _:
            return f"of type {type(value).__name__}"

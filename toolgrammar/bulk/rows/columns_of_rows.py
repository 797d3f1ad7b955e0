"""Names the columns in which rows have their own format, tools and finish reason, and reads them.

Of `{"text": "…", "format": "…", "tools": "weather"}`, with `format_column="format"`,
`tools_column="tools"` and `tool_lists={"weather": […]}`, the message is read in that format, with that
list. A column is named as it stands in the row, or by a path: `meta.model` is `model` in `meta`.
"""

from __future__ import annotations

import gzip
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from toolgrammar.bulk.rows.packed import unpacking
from toolgrammar.tools.json_texts import read_json

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


@dataclass(frozen=True, slots=True)
class RowColumns:
    """The columns in which a row may have its own settings."""

    format: str | None = None
    """The column with the format of a row."""
    tools: str | None = None
    """The column with the tools of a row: a list, its JSON text, or the id of a list."""
    finish_reason: str | None = None
    """The column with the reason why the server ended the message of a row."""
    lists: Mapping[str, Any] | None = None
    """Lists of tools by their ids."""
    header_line: int = 0
    """The number of a line that has these lists and is not a row; 0 if there is none."""
    others: tuple[str, ...] = ()
    """More columns that a run reads, such as that of the correct calls."""

    @property
    def named(self) -> tuple[str, ...]:
        """All columns, each once."""
        named = (self.format, self.tools, self.finish_reason, *self.others)
        return tuple(dict.fromkeys(name for name in named if name is not None))

    def note(self, row: Mapping[str, Any], seen: set[str]) -> None:
        """Adds the columns that have a value in a row to `seen`."""
        for name in self.named:
            # Most rows have the same columns: only those that were not seen are looked up.
            if name not in seen and value_at(row, name) not in (None, ""):
                seen.add(name)

    def missing(self, seen: Iterable[str]) -> tuple[str, ...]:
        """Returns the columns without a value in any row; their names may be misspelt."""
        there = set(seen)
        return tuple(name for name in self.named if name not in there)


def heads(columns: Iterable[str | None]) -> tuple[str, ...]:
    """Returns the top-level keys that are needed to look columns up: a path needs its first step."""
    found: list[str] = []
    for column in columns:
        if column is not None:
            # A column may itself be named `a.b`, which `value_at` tries first: both are needed.
            found += dict.fromkeys((column, column.partition(".")[0]))
    return tuple(dict.fromkeys(found))


def value_at(row: Mapping[Any, Any], column: str | None, missing: Any = None) -> Any:
    """Returns the value of a column in a row.

    Args:
        row: the row.
        column: the name of the column, or the path to it; None for no column.
        missing: what is returned if the row has no such column.
    """
    if column is None:
        return missing
    # A key that contains a dot takes precedence over a path.
    if column in row:
        return row[column]
    value: Any = row
    for step in column.split("."):
        if not isinstance(value, Mapping) or step not in value:
            return missing
        value = value[step]
    return value


def columns_of(
    data: object,
    format_column: str | None,
    tools_column: str | None,
    finish_reason_column: str | None,
    tool_lists: Mapping[str, Any] | None,
    *,
    others: Sequence[str] | None = None,
) -> RowColumns | None:
    """Returns the columns in which rows have their own settings; None if they have none.

    Args:
        data: the input of a run: its first line may have lists of tools instead of a row.
        format_column: the column with the format of a row.
        tools_column: the column with the tools of a row.
        finish_reason_column: the column with the finish reason of a row.
        tool_lists: lists of tools by their ids.
        others: more columns that a run reads; None if it reads no others, and needs no columns if
            rows have no settings of their own.

    Raises:
        TypeError: a column is not a name, or `tool_lists` is not a mapping of lists.
    """
    for name, value in (
        ("format_column", format_column),
        ("tools_column", tools_column),
        ("finish_reason_column", finish_reason_column),
        *(("a column", each) for each in others or ()),
    ):
        if value is not None and not isinstance(value, str):
            raise TypeError(f"{name} must be the name of a column, got {value!r}")
    if tool_lists is not None and not isinstance(tool_lists, Mapping):
        raise TypeError(f"tool_lists must be lists of tools by their ids, got {tool_lists!r}")
    of_rows = (format_column, tools_column, finish_reason_column)
    if others is None and of_rows == (None, None, None):
        return None
    in_file = lists_in(data, tools_column)
    # Lists of the caller take precedence over those of the file.
    given = tool_lists is not None or in_file is not None
    merged = {**(in_file or {}), **(tool_lists or {})} if given else None
    header = int(in_file is not None)
    return RowColumns(*of_rows, merged, header, tuple(others or ()))


def lists_in(data: object, column: str | None) -> Mapping[str, Any] | None:
    """Returns the lists of tools in the first line of a file; None if that line is a row.

    Such a line is an object without a message: under the tools' column it has an object of lists.

    Args:
        data: the input of a run; only files of lines may have lists.
        column: the column with the tools of a row.
    """
    # Data frames and iterables have no first line that is not a row.
    if column is None or not isinstance(data, str | Path):
        return None
    path = Path(data)
    if path.suffix.lower() == ".parquet":
        return None
    with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as file:
        try:
            with unpacking(path):
                first = read_json(file.readline())
        except ValueError:
            return None  # not a line of JSON, or not gzip: reading the rows reports it
    found = value_at(first, column) if isinstance(first, dict) else None
    # The tools of a row are a list or a text, never an object of lists.
    is_lists = isinstance(found, dict) and all(isinstance(each, list) for each in found.values())
    return found if is_lists else None

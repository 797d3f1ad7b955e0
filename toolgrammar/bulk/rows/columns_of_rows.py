"""Says where rows have their own format and tools, and finds what stands there.

Of `{"text": "…", "format": "…", "tools": "weather"}`, with `format_column="format"`,
`tools_column="tools"` and `tool_lists={"weather": […]}`, the message is read in that format, with that
list. A column is named as it stands in the row, or by a path: `meta.model` is `model` in `meta`.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from toolgrammar.bulk.rows.packed import unpacking

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


@dataclass(frozen=True, slots=True)
class RowColumns:
    """The columns in which a row has settings of its own."""

    format: str | None = None
    """Where a row has its format."""
    tools: str | None = None
    """Where a row has its tools: a list, its JSON text, or the id of a list."""
    lists: Mapping[str, Any] | None = None
    """Lists of tools by their ids."""
    header_line: int = 0
    """The number of a line that has these lists and is no row; 0 where there is none."""
    others: tuple[str, ...] = ()
    """Columns that a run looks at besides, such as that of the calls that were right."""

    @property
    def named(self) -> tuple[str, ...]:
        """All columns, each once."""
        named = (self.format, self.tools, *self.others)
        return tuple(dict.fromkeys(name for name in named if name is not None))

    def note(self, row: Mapping[str, Any], seen: set[str]) -> None:
        """Adds to `seen` the columns in which a row has something."""
        for name in self.named:
            # Most rows have what the first one had: looked up again is only what was not seen.
            if name not in seen and value_at(row, name) not in (None, ""):
                seen.add(name)

    def missing(self, seen: Iterable[str]) -> tuple[str, ...]:
        """Returns the columns that were not seen; their names may be misspelt."""
        there = set(seen)
        return tuple(name for name in self.named if name not in there)


def heads(columns: Iterable[str | None]) -> tuple[str, ...]:
    """Returns what has to be taken out of a row to look columns up: a path needs its first step."""
    found: list[str] = []
    for column in columns:
        if column is not None:
            # A column may be called `a.b` itself, so both are taken out of the row: `value_at`
            # looks for it first.
            found += dict.fromkeys((column, column.partition(".")[0]))
    return tuple(dict.fromkeys(found))


def value_at(row: Mapping[str, Any], column: str | None) -> Any:
    """Returns what a row has in a column; None where it has none."""
    if column is None:
        return None
    # A name with a dot in it goes before a path: the row has it as it is written.
    if column in row:
        return row[column]
    value: Any = row
    for step in column.split("."):
        if not isinstance(value, dict) or step not in value:
            return None
        value = value[step]
    return value


def columns_of(
    data: object,
    format_column: str | None,
    tools_column: str | None,
    lists: Mapping[str, Any] | None,
    *,
    others: Sequence[str] | None = None,
) -> RowColumns | None:
    """Returns where rows have settings of their own; None where they have none.

    Args:
        data: what a run reads: its first line may have lists of tools in place of a row.
        format_column: where a row has its format.
        tools_column: where a row has its tools.
        lists: lists of tools by their ids.
        others: columns that a run looks at besides; None where it looks at no others, and at no
            rows that have no settings of their own.

    Raises:
        TypeError: a column is no name, or the lists are none.
    """
    for name, value in (
        ("format_column", format_column),
        ("tools_column", tools_column),
        *(("a column", each) for each in others or ()),
    ):
        if value is not None and not isinstance(value, str):
            raise TypeError(f"{name} must be the name of a column, got {value!r}")
    if lists is not None and not isinstance(lists, Mapping):
        raise TypeError(f"tool_lists must be lists of tools by their ids, got {lists!r}")
    if format_column is None and tools_column is None and others is None:
        return None
    in_file = lists_in(data, tools_column)
    # What the caller gives goes over what the file has.
    merged = None if lists is None and in_file is None else {**(in_file or {}), **(lists or {})}
    header = int(in_file is not None)
    return RowColumns(format_column, tools_column, merged, header, tuple(others or ()))


def lists_in(data: object, column: str | None) -> Mapping[str, Any] | None:
    """Returns the lists of tools that the first line of a file has in place of a row.

    Such a line is an object without a message: under the tools' column it has an object of lists.

    Args:
        data: what a run reads; lists stand in files of lines alone.
        column: where a row has its tools.
    """
    # Data frames and iterables have no first line that is no row.
    if column is None or not isinstance(data, str | Path):
        return None
    path = Path(data)
    if path.suffix.lower() == ".parquet":
        return None
    with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as file:
        try:
            with unpacking(path):
                first = json.loads(file.readline())
        except ValueError:
            return None  # no line of JSON, or not packed: reading the rows will say so
    found = value_at(first, column) if isinstance(first, dict) else None
    # The tools of a row are a list or a text, never an object of lists.
    is_lists = isinstance(found, dict) and all(isinstance(each, list) for each in found.values())
    return found if is_lists else None

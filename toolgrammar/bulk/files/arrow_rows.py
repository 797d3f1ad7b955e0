"""Reads the rows of Arrow tables, with their maps as objects.

A column of the type `map<string, string>` gives `{"lang": "en"}`, where pyarrow gives `[("lang", "en")]`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator


def rows_of(table: Any) -> Iterator[dict[str, Any]]:
    """Yields the rows of a table as plain data."""
    # Versions of pyarrow that convert maps themselves are young, and columns of `datasets` can't.
    kinds = {each.name: each.type for each in table.schema if "map<" in str(each.type)}
    for row in table.to_pylist():
        yield row | {name: _with_maps(row[name], kind) for name, kind in kinds.items()}


def _with_maps(value: Any, kind: Any) -> Any:
    """Returns a value of an Arrow type with its maps as objects; of two equal keys the later counts."""
    import pyarrow as pa

    if value is None:
        return None
    if pa.types.is_map(kind):
        return {str(key): _with_maps(each, kind.item_type) for key, each in value}
    if pa.types.is_struct(kind):
        fields = [kind.field(place) for place in range(kind.num_fields)]
        return {each.name: _with_maps(value[each.name], each.type) for each in fields}
    if isinstance(value, list):
        return [_with_maps(each, kind.value_type) for each in value]
    return value

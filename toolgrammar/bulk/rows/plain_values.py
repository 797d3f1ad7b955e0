"""Returns the values of tables as JSON has them: dates as text, arrays as lists.

`datetime(2026, 1, 2, 3, 4)` becomes `2026-01-02T03:04:00`, an array of numpy the list of its values.
"""

from __future__ import annotations

from datetime import date, time, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID


def plain_value(value: Any) -> object:
    """Returns what stands for a value in JSON, of which `json` asks if it has no form of its own.

    Raises:
        TypeError: nothing stands for a value of its type.
    """
    match value:
        # What pandas has where a date is missing calls itself a date.
        case date() if value != value:  # noqa: PLR0124 - it differs from itself, as NaN does
            return None
        case date() | time():
            return value.isoformat()
        case timedelta() | Decimal() | UUID():
            return str(value)
        case bytes():
            # Escapes keep the bytes that are no UTF-8 apart from each other.
            return value.decode("utf-8", "backslashreplace")
        case _:
            return _of_numpy(value)


def _of_numpy(value: Any) -> object:
    # Known without importing numpy or pandas.
    kind = getattr(getattr(value, "dtype", None), "kind", "")
    if kind and getattr(value, "shape", ()):
        # As pandas reads nested columns of Parquet, whose objects have nulls for what they lack.
        return [without_nulls(each) for each in value]
    if kind in ("M", "m"):
        return None if value != value else str(value)  # noqa: PLR0124 - as above
    if kind and hasattr(value, "item"):
        return value.item()
    if type(value).__name__ == "NAType":
        return None
    raise TypeError(f"a value of type {type(value).__name__} has no form in JSON")


def without_nulls(value: object) -> object:
    """Returns a value whose objects lack the members that are null.

    Arrow gives all objects of a column the same members: `{"city": "Oslo"}` beside `{"q": "x"}` is
    read as `{"city": "Oslo", "q": null}`. A null that was written can't be told from these.
    """
    if isinstance(value, dict):
        return {key: without_nulls(each) for key, each in value.items() if each is not None}
    if isinstance(value, list):
        return [without_nulls(each) for each in value]
    return value

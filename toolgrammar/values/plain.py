"""Values as plain JSON data, and back: what `to_dict` and `from_dict` share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

SCHEMA: Final = 1
"""The version of the shape that `to_dict` returns; it stands at the top under `schema`."""


def headed(body: dict[str, Any]) -> dict[str, Any]:
    """Returns a body of plain data with the version of its shape on top."""
    return {"schema": SCHEMA, **body}


def check_version(data: Mapping[str, Any]) -> None:
    """Refuses data of another version; data without one (an inner part) is taken as this one.

    Raises:
        TypeError: the data is no mapping.
        ValueError: the data has the shape of another version.
    """
    if not isinstance(data, Mapping):
        raise TypeError(f"from_dict wants what to_dict gave, a dict; got {type(data).__name__}")
    found = data.get("schema", SCHEMA)
    if found != SCHEMA:
        raise ValueError(f"unknown schema {found!r}; this version reads schema {SCHEMA}")


def copy_json(value: Any) -> Any:
    """Returns a copy that shares no list or dict with `value`; any depth will do."""
    if not isinstance(value, dict | list | tuple):
        return value
    # A list of its own and no recursion, which `copy.deepcopy` needs: arguments may nest deeply.
    top: list[Any] = [None]
    pending: list[tuple[Any, Any, Any]] = [(value, top, 0)]
    while pending:
        source, holder, key = pending.pop()
        copy: Any
        if isinstance(source, dict):
            # The keys are set first, so that they keep their order whatever is copied when.
            copy = dict(source)
            parts: Any = source.items()
        else:
            # A tuple becomes a list: JSON has no other, and `from_dict` would give a list back.
            copy = list(source)
            parts = enumerate(source)
        holder[key] = copy
        pending += [
            (part, copy, place) for place, part in parts if isinstance(part, dict | list | tuple)
        ]
    return top[0]

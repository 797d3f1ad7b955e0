"""Converts values to plain JSON data: what all `to_dict` and `from_dict` methods share.

`headed({"start": 1})` is `{"schema": 1, "start": 1}`; `check_version` accepts it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

SCHEMA: Final = 1
"""The version of the shape that `to_dict` returns; it is the first key, `schema`."""


def headed(body: dict[str, Any]) -> dict[str, Any]:
    """Returns plain data with the version of its shape as the first key."""
    return {"schema": SCHEMA, **body}


def check_version(data: Mapping[str, Any], *needed: str) -> None:
    """Checks the version of data, and that it has some keys.

    Data without a version, as inside a larger value, is accepted.

    Raises:
        TypeError: the data is not a mapping.
        ValueError: the data has the shape of another version, or lacks one of the keys.
    """
    if not isinstance(data, Mapping):
        raise TypeError(f"from_dict wants what to_dict gave, a dict; got {type(data).__name__}")
    found = data.get("schema", SCHEMA)
    if found != SCHEMA:
        raise ValueError(f"unknown schema {found!r}; this version reads schema {SCHEMA}")
    for key in needed:
        if key not in data:
            raise ValueError(f"from_dict wants what to_dict gave; this dict has no {key!r}")


def copy_json(value: Any) -> Any:
    """Returns a copy that shares no list or dict with `value`, which may be nested to any depth."""
    if not isinstance(value, dict | list | tuple):
        return value
    # An explicit stack, since `copy.deepcopy` recurses and arguments may nest deeply.
    top: list[Any] = [None]
    pending: list[tuple[Any, Any, Any]] = [(value, top, 0)]
    while pending:
        source, holder, key = pending.pop()
        copy: Any
        if isinstance(source, dict):
            # All keys are set first: they keep their order, whichever value is copied first.
            copy = dict(source)
            parts: Any = source.items()
        else:
            # A tuple becomes a list: JSON has no tuples, and `from_dict` returns a list.
            copy = list(source)
            parts = enumerate(source)
        holder[key] = copy
        pending += [
            (part, copy, place) for place, part in parts if isinstance(part, dict | list | tuple)
        ]
    return top[0]


# Requests to APIs, Arrow, Spark and pandas hold UTF-8, in which half a surrogate pair has no form.
def sound(text: str) -> str:
    """Returns a text that UTF-8 can carry: half surrogate pairs become U+FFFD."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text

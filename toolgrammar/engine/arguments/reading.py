"""Defines `Reading`, the arguments of a call after they were read for its tool.

`{"day": "2026-11-23"}` read for `def f(day: date)` has the arguments `{"day": date(2026, 11, 23)}`.
"""

from __future__ import annotations

import copy
from typing import Any, Final

_FLAT: Final = frozenset({str, int, float, bool, type(None)})
"""Immutable types: a dict of their values needs no deep copy."""


class Reading:
    """The arguments of a call, converted for its tool."""

    __slots__ = ("arguments", "flat", "instance")

    def __init__(
        self, arguments: dict[str, Any], instance: object = None, *, flat: bool = False
    ) -> None:
        """Sets up a reading.

        Args:
            arguments: by the names of the parameters.
            instance: the validated instance, of a tool that takes one of a pydantic model.
            flat: no value of the arguments can change; the dict may be the call's own.
        """
        self.arguments = arguments
        self.instance = instance
        self.flat = flat

    def copy(self) -> Reading:
        """Returns a copy that shares no mutable value with this reading."""
        if self.flat:
            return Reading(self.arguments.copy(), flat=True)
        if self.instance is None:
            return Reading(copied(self.arguments))
        return of_instance(_copied_or_shared(self.instance))


def copied(arguments: dict[str, Any]) -> dict[str, Any]:
    """Returns a deep copy; immutable values are shared."""
    # The loop ends without `break` if all values are flat: copying the dict is then enough.
    for value in arguments.values():
        if type(value) not in _FLAT:
            break
    else:
        return arguments.copy()
    try:
        # Copied together, so that values which share an object still share it in the copy.
        return copy.deepcopy(arguments)
    except Exception:  # a value that a validator made can't be copied: it is shared
        return {name: _copied_or_shared(value) for name, value in arguments.items()}


def _copied_or_shared(value: Any) -> Any:
    try:
        return copy.deepcopy(value)
    except Exception:
        return value


def of_instance(instance: Any) -> Reading:
    """Returns the reading of a model's instance: its fields, and its extra fields."""
    # A model with `extra="allow"` keeps fields beside its own there.
    more = getattr(instance, "__pydantic_extra__", None) or {}
    return Reading({**vars(instance), **more}, instance)

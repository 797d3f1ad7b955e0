"""The arguments of one call as its tool takes them: what every reader returns."""

from __future__ import annotations

import copy
from typing import Any, Final

_FLAT: Final = frozenset({str, int, float, bool, type(None)})
"""Types whose values nobody can change: a dict of them needs no deep copy."""


class Reading:
    """The arguments of a call as the tool wants them."""

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
        """Returns a reading that shares nothing with this one that can be changed."""
        if self.flat:
            return Reading(self.arguments.copy(), flat=True)
        if self.instance is None:
            return Reading(copied(self.arguments))
        return of_instance(_copied_or_shared(self.instance))


def copied(arguments: dict[str, Any]) -> dict[str, Any]:
    """Returns a deep copy; values that can't change are shared."""
    # The loop ends without `break` if all values are flat: then copying the dict is enough.
    for value in arguments.values():
        if type(value) not in _FLAT:
            break
    else:
        return arguments.copy()
    try:
        # All at once, so that values which share an object still share it in the copy.
        return copy.deepcopy(arguments)
    except Exception:  # a validator made something that can't be copied: that is shared
        return {name: _copied_or_shared(value) for name, value in arguments.items()}


def _copied_or_shared(value: Any) -> Any:
    try:
        return copy.deepcopy(value)
    except Exception:
        return value


def of_instance(instance: Any) -> Reading:
    """Returns the reading of a model's instance: its fields, and what it allows beside them."""
    # A model with `extra="allow"` keeps fields beside its own there.
    more = getattr(instance, "__pydantic_extra__", None) or {}
    return Reading({**vars(instance), **more}, instance)

"""Defines `JsonResult`: the value that was recovered from a JSON text, and its diagnostics."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from toolgrammar.core.message.listing import listed
from toolgrammar.values.diagnostics import Diagnostic
from toolgrammar.values.plain import check_version, headed

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from toolgrammar.core.payloads.mended.repairs import Repair
    from toolgrammar.values.calls import Status


@dataclass(frozen=True)
class RecoveredJson:
    """The value of a JSON text, and what was mended to get it."""

    value: Any
    """The value; None too if there is none, with an error diagnostic."""
    status: Status
    """`complete`, `repaired`, `truncated` or `unreadable`."""
    diagnostics: tuple[Diagnostic, ...] = field(default_factory=tuple)
    """One for each repair, loss or doubt, in the order of the text."""
    executable: bool = False
    """Whether the value is whole, free of doubt, and satisfies the schema, if one was given."""
    rest: int | None = None
    """The offset of what follows the value, or None."""

    @classmethod
    def of_repairs(
        cls,
        value: object,
        status: Status,
        repairs: Callable[[], Sequence[Repair]],
        *,
        executable: bool,
        rest: int | None,
    ) -> RecoveredJson:
        """Returns a result whose diagnostics are made when they are first asked for.

        A text of 64 KB may need thousands of repairs; half of the time would go into saying so.
        """
        # Not by `__init__`, which would want the diagnostics; a frozen class has no other way in.
        made = object.__new__(cls)
        fields = {"value": value, "status": status, "executable": executable, "rest": rest}
        made.__dict__.update(fields, _repairs=repairs)
        return made

    def __getattr__(self, name: str) -> Any:
        """Makes the diagnostics; every other name is unknown."""
        # Python comes here only for what is missing: once made, the diagnostics are found without
        # this.
        repairs = self.__dict__.pop("_repairs", None) if name == "diagnostics" else None
        if repairs is None:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        found = tuple(listed(each.diagnostic() for each in repairs()))
        self.__dict__["diagnostics"] = found
        return found

    def __getstate__(self) -> dict[str, Any]:
        """Returns the fields, for pickle and copy."""
        # Asking for the diagnostics replaces the function that makes them, which can't be pickled.
        return {"diagnostics": self.diagnostics, **self.__dict__}

    def to_dict(self) -> dict[str, Any]:
        """Returns the result as plain JSON data."""
        return headed(
            {
                "value": self.value,
                "status": self.status,
                "diagnostics": [each.body() for each in self.diagnostics],
                "executable": self.executable,
                "rest": self.rest,
            }
        )

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> RecoveredJson:
        """Returns the result that `to_dict` wrote."""
        check_version(data, "value", "status")
        return cls(
            value=data["value"],
            status=data["status"],
            diagnostics=tuple(
                Diagnostic.from_dict(headed(dict(each))) for each in data.get("diagnostics", ())
            ),
            executable=data.get("executable", False),
            rest=data.get("rest"),
        )

"""Defines diagnostics: what was found wrong in a text, and the edits that repair it.

The payload `{tz: "UTC"}` gives a `Diagnostic` with the code `bare-key`, the severity `warning` and an
`Edit` that replaces `tz` by `"tz"`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from toolgrammar.values.plain import check_version, headed
from toolgrammar.values.spans import Span

if TYPE_CHECKING:
    from collections.abc import Mapping

Severity: TypeAlias = Literal["info", "warning", "error"]
"""`info`: a note, as on a value converted to its schema's type. `warning`: a safe repair. `error`: a
loss, a limit or a doubt."""


@dataclass(frozen=True, slots=True)
class Edit:
    """A replacement of a stretch of the source."""

    span: Span
    """The stretch that is replaced; empty for an insertion."""
    replacement: str
    """The new text; "" for a deletion."""

    def to_dict(self) -> dict[str, Any]:
        """Returns the edit as plain JSON data."""
        return {"span": self.span.to_dict(), "replacement": self.replacement}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Edit:
        """Returns the edit that `to_dict` wrote."""
        return cls(Span.from_dict(data["span"]), data["replacement"])


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One repair, loss or doubt."""

    code: str
    """A stable id in kebab case; `toolgrammar.values.codes` has the meaning of each."""
    severity: Severity
    """How serious it is."""
    message: str
    """What was found, then what the format wants."""
    span: Span
    """Where it was found in the source."""
    edits: tuple[Edit, ...] = ()
    """The changes of the source by which a strict parser would accept it."""
    path: str = ""
    """The place in the arguments, as in `$.items[0].price`; "" outside of arguments."""
    hint: str = ""
    """What to do about it; "" if there is nothing to add."""

    def to_dict(self) -> dict[str, Any]:
        """Returns the diagnostic as plain JSON data."""
        return headed(self.body())

    def body(self) -> dict[str, Any]:
        """Returns what `to_dict` returns, without the version, for use inside a larger value."""
        return {
            "code": self.code,
            "severity": self.severity,
            "message": self.message,
            "span": self.span.to_dict(),
            # Edits and spans have no version: they are always inside a larger value.
            "edits": [edit.to_dict() for edit in self.edits],
            "path": self.path,
            "hint": self.hint,
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Diagnostic:
        """Returns the diagnostic that `to_dict` wrote."""
        # A diagnostic inside a result has no version, and is accepted.
        check_version(data, "code", "severity", "message", "span")
        return cls(
            code=data["code"],
            severity=data["severity"],
            message=data["message"],
            span=Span.from_dict(data["span"]),
            edits=tuple(Edit.from_dict(edit) for edit in data.get("edits", ())),
            path=data.get("path", ""),
            hint=data.get("hint", ""),
        )

"""What was found wrong in a text, and the edits that put it right."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from toolgrammar.values.plain import check_version, headed
from toolgrammar.values.spans import Span

if TYPE_CHECKING:
    from collections.abc import Mapping

Severity: TypeAlias = Literal["info", "warning", "error"]
"""`info`: typed by the schema. `warning`: a safe repair. `error`: a loss, a limit or a doubt."""


@dataclass(frozen=True, slots=True)
class Edit:
    """A stretch of the source and what should stand there instead."""

    span: Span
    """What is replaced; empty for an insertion."""
    replacement: str
    """What takes its place; "" for a deletion."""

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
    """A stable id in kebab case; `toolgrammar.values.codes` says what each means."""
    severity: Severity
    """How bad it is."""
    message: str
    """What stands there, then what the format wants."""
    span: Span
    """Where it stands in the source."""
    edits: tuple[Edit, ...] = ()
    """What has to change in the source to make it strict."""
    path: str = ""
    """Where it stands in the arguments, as in `$.items[0].price`; "" outside of them."""
    hint: str = ""
    """What to do about it."""

    def to_dict(self) -> dict[str, Any]:
        """Returns the diagnostic as plain JSON data."""
        return headed(self.body())

    def body(self) -> dict[str, Any]:
        """Returns what `to_dict` returns, without the version: a part of something larger."""
        return {
            "code": self.code,
            "severity": self.severity,
            "message": self.message,
            "span": self.span.to_dict(),
            # Only diagnostics bear a version: edits and spans are always parts.
            "edits": [edit.to_dict() for edit in self.edits],
            "path": self.path,
            "hint": self.hint,
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Diagnostic:
        """Returns the diagnostic that `to_dict` wrote."""
        # Inner parts bear no version, and pass.
        check_version(data)
        return cls(
            code=data["code"],
            severity=data["severity"],
            message=data["message"],
            span=Span.from_dict(data["span"]),
            edits=tuple(Edit.from_dict(edit) for edit in data.get("edits", ())),
            path=data.get("path", ""),
            hint=data.get("hint", ""),
        )

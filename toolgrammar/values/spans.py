"""Where something stands in the source."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of the source, in characters; empty where something is missing."""

    start: int
    """The offset of the first character."""
    end: int
    """The offset behind the last character."""

    def to_dict(self) -> dict[str, Any]:
        """Returns the span as plain JSON data."""
        return {"start": self.start, "end": self.end}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Span:
        """Returns the span that `to_dict` wrote."""
        return cls(data["start"], data["end"])


PartKind: TypeAlias = Literal[
    "text", "reasoning", "markup", "name", "id", "key", "value", "arguments", "input"
]
"""`arguments` are those whose members can't be told; `markup` is what belongs to none of the others."""


@dataclass(frozen=True, slots=True)
class Part:
    """A stretch of a message, and what it is."""

    kind: PartKind
    """What it is."""
    span: Span
    """Where it stands in the source."""
    call: int | None = None
    """The number of its call among the calls of the result; None outside of calls."""
    key: str | None = None
    """The argument that a key or a value is of; None where it is of none."""

    def to_dict(self) -> dict[str, Any]:
        """Returns the part as plain JSON data."""
        return {
            "kind": self.kind, "span": self.span.to_dict(), "call": self.call, "key": self.key
        }  # fmt: skip


# One value for all: spans are frozen.
NOWHERE = Span(0, 0)
"""The span of what was made by hand."""

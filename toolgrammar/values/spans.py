"""Defines spans and parts: stretches of the source text.

In `Hi <tool_call>{"name": "now"}</tool_call>` the part `text` has `Span(0, 3)`, and the name of the
call `Span(24, 27)`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of the source, in characters; empty if it marks the place of something missing."""

    start: int
    """The offset of the first character."""
    end: int
    """The offset after the last character."""

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
"""`arguments` is a payload whose members can't be located; `markup` is everything that is none of the
others."""


@dataclass(frozen=True, slots=True)
class Part:
    """A stretch of a message, with its kind."""

    kind: PartKind
    """What the stretch is."""
    span: Span
    """Where it is in the source."""
    call: int | None = None
    """The index of its call in `result.calls`; None outside of calls."""
    key: str | None = None
    """The argument to which a key or a value belongs; None for other parts."""

    def to_dict(self) -> dict[str, Any]:
        """Returns the part as plain JSON data."""
        return {
            "kind": self.kind, "span": self.span.to_dict(), "call": self.call, "key": self.key
        }  # fmt: skip


# One object for all: spans are frozen.
NOWHERE = Span(0, 0)
"""The span of calls and diagnostics that were made by hand."""

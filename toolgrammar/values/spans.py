"""Where something stands in the source."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

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


NOWHERE = Span(0, 0)
"""The span of what was made by hand."""

"""Defines `Detection`: a format that a text may be written in, with its score."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from toolgrammar.values.plain import check_version, headed

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class Detection:
    """A format that a text may be written in."""

    format: str
    """The id of the format."""
    score: float
    """How well it fits, from 0 to 1; 1 if it reads all calls and none needs a repair."""

    def to_dict(self) -> dict[str, Any]:
        """Returns the detection as plain JSON data."""
        return headed(self.body())

    def body(self) -> dict[str, Any]:
        """Returns what `to_dict` returns, without the version, for use inside a larger value."""
        return {"format": self.format, "score": self.score}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Detection:
        """Returns the detection that `to_dict` wrote."""
        check_version(data, "format", "score")
        return cls(data["format"], data["score"])

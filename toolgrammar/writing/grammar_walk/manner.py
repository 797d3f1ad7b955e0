"""Says how a walk chooses where a grammar leaves a choice."""

from __future__ import annotations

from typing import NamedTuple


class Manner(NamedTuple):
    """One way to choose; others are tried where what it gives is not read back."""

    raw_carries_all: bool = True
    """Raw text may hold any value as JSON, and not only strings."""
    last_first: bool = False
    """An argument is written by the last of its alternatives that can, not by the first."""
    makes_ids: bool = False
    """A call without an id gets one, also where the grammar could leave it out."""
    pads: bool = True
    """A text with a line end at its edge gets one more where the format takes one off."""

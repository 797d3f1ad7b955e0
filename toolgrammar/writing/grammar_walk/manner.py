"""Defines how a walk chooses between the alternatives of a grammar."""

from __future__ import annotations

from typing import NamedTuple


class Manner(NamedTuple):
    """One way to choose; the next is tried if the text that it gives is not read back equal."""

    raw_carries_all: bool = True
    """Raw text may hold any value as JSON, and not only strings."""
    last_first: bool = False
    """Whether an argument is written by the last of its alternatives that can, not by the first."""
    makes_ids: bool = False
    """Whether a call without an id gets one even if the grammar could omit it."""
    pads: bool = True
    """Whether a text with a line end at its edge gets one more, if the format strips one."""

"""Says what reading a message depends on in which everything is as its format says."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

    from toolgrammar.core.machine import Machine


class PlainRules(NamedTuple):
    """What a message in which everything is as its format says depends on."""

    id: str
    digest: str
    trim: Mapping[str, str]
    unwrap: tuple[str, ...]
    """Keys that may hold all arguments of a call."""
    entities: bool
    """Whether `&` may begin the entity of a character."""
    drops: bool
    """Whether arguments that the tool does not have are left out."""
    judges: bool
    """Whether the arguments decide what is one: some wrap others, or are left out."""
    by_shape: bool
    """Whether a raw value that is JSON has the type that it shows."""
    closers: tuple[str, ...]
    """What closes reasoning."""
    machine: Machine | None
    """What reads it, where the names of the tools are no part of the wire."""

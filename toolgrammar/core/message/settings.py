"""What a format tells the builder of a message."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from toolgrammar.grammar.header import Header

if TYPE_CHECKING:
    from collections.abc import Mapping


class Settings(NamedTuple):
    """What a format tells the builder."""

    format_id: str
    trim: Mapping[str, str]
    wire_roles: Mapping[str, str]
    drop_unknown: bool
    free_text: bool
    header: Header = Header()

    @property
    def needs_tools(self) -> bool:
        """Whether the format reads calls of given tools alone."""
        return self.header.misfit == "text"

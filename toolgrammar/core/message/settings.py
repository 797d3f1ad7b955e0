"""Defines the settings of a format that the builder of a message needs.

Example: `trim` is `{"value": "strip"}` in a format with the line `//@ trim: value=strip`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from toolgrammar.grammar.header import Header

if TYPE_CHECKING:
    from collections.abc import Mapping


class Settings(NamedTuple):
    """The settings of a format, from the header of its grammar and its tables."""

    format_id: str
    trim: Mapping[str, str]
    wire_roles: Mapping[str, str]
    drop_unknown: bool
    free_text: bool
    header: Header = Header()

    @property
    def needs_tools(self) -> bool:
        """Whether the format reads only calls of the given tools."""
        return self.header.misfit == "text"

"""Defines the settings of a format that the builder of a message needs.

Example: `header.trim` is `{"value": "strip"}` in a format with the line `//@ trim: value=strip`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from toolgrammar.grammar.header import Header
    from toolgrammar.grammar.tables import Tables


class Settings(NamedTuple):
    """The settings of a format: what its grammar file declares, and its compiled rules."""

    header: Header
    tables: Tables

"""Makes what reading the messages of one format needs and messages share: machine, settings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgrammar.core.machine.kept_machines import machine_for
from toolgrammar.core.message.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Mapping

    from toolgrammar.catalogue.format import Format
    from toolgrammar.core.machine.machine import Machine
    from toolgrammar.values.tools import ToolSpec


def machine_of(format_: Format, specs: Mapping[str, ToolSpec]) -> Machine:
    """Returns the machine of a format for these tools; made once."""
    # A header may bring tools that models know without being told; they count where none are
    # passed.
    return machine_for(format_.tables, specs or format_.header.tools)


def settings_of(format_: Format) -> Settings:
    """Returns what a format tells the builder."""
    header = format_.header
    drop_unknown = header.unknown_arguments == "drop"
    free_text = format_.tables.free_text
    return Settings(format_.id, header.trim, header.roles, drop_unknown, free_text, header)

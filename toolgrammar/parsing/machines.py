"""Returns the machine of a format, which all its messages share.

Example: two parsers of one format, with tools of the same names, have the same machine.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgrammar.core.machine.caches import machine_for

if TYPE_CHECKING:
    from collections.abc import Mapping

    from toolgrammar.catalogue.format import Format
    from toolgrammar.core.machine.machine import Machine
    from toolgrammar.values.tools import ToolSpec


def machine_of(format_: Format, specs: Mapping[str, ToolSpec]) -> Machine:
    """Returns the machine of a format for these tools, which is cached."""
    # A header may declare tools that its models know without being told; they are used if the
    # caller passes none.
    return machine_for(format_.tables, specs or format_.header.tools)

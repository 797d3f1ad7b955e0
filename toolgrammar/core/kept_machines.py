"""Makes the machine of a grammar for the tools of a request, and keeps it with the tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgrammar.core.machine import Machine

if TYPE_CHECKING:
    from collections.abc import Iterable

    from toolgrammar.core.tables import Tables

_MACHINES_KEPT = 64


def machine_for(tables: Tables, tool_names: Iterable[str]) -> Machine:
    """Gives the machine of a grammar for tools of these names; made once.

    Args:
        tables: the compiled grammar, which keeps its machines.
        tool_names: the known tools, in any order; they matter only where the envelope names them.
    """
    key = tuple(sorted(tool_names)) if tables.names_tools else ()
    machine: Machine | None = tables.machines.get(key)
    if machine is None:
        if len(tables.machines) >= _MACHINES_KEPT:
            tables.machines.clear()
        machine = tables.machines[key] = Machine(tables, key)
    return machine

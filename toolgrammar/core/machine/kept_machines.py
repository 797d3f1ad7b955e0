"""Makes the machine of a grammar for the tools of a request, and keeps it with the tables.

Example: a grammar with the terminal `TOOL` has a machine for each set of tool names, any other has one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgrammar.core.machine.machine import Machine

if TYPE_CHECKING:
    from collections.abc import Iterable

    from toolgrammar.grammar.tables import Tables

_MACHINES_KEPT = 64


def machine_for(tables: Tables, tool_names: Iterable[str]) -> Machine:
    """Returns the machine of a grammar for tools of these names; made once.

    Args:
        tables: the compiled grammar, which keeps its machines.
        tool_names: the known tools, in any order; they matter only where the envelope names them.
    """
    # Without names of tools in its tokens, a grammar has one machine for all requests.
    key = tuple(sorted(tool_names)) if tables.names_tools else ()
    machine: Machine | None = tables.machines.get(key)
    if machine is None:
        # Requests of one application share few sets of tools. Where each has its own, the machines
        # must not fill the memory.
        if len(tables.machines) >= _MACHINES_KEPT:
            tables.machines.clear()
        machine = tables.machines[key] = Machine(tables, key)
    return machine

"""Makes the machine of a grammar for the tools of a request, and caches it with the tables.

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
    """Returns the machine of a grammar for tools with these names, from the cache if it is there.

    Args:
        tables: the compiled grammar, which has the cache.
        tool_names: the names of the known tools, in any order; they matter only if tokens of the
            grammar contain them.
    """
    # Without names of tools in its tokens, a grammar has one machine for all requests.
    key = tuple(sorted(tool_names)) if tables.names_tools else ()
    machine: Machine | None = tables.machines.get(key)
    if machine is None:
        # Requests of one application share few sets of tools. If each request has its own set, the
        # machines must not fill the memory.
        if len(tables.machines) >= _MACHINES_KEPT:
            tables.machines.clear()
        machine = tables.machines[key] = Machine(tables, key)
    return machine

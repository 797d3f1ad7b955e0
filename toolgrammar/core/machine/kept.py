"""Caches the machines of a grammar with its tables, and what functions find of a node on the node.

Example, a function that searches the repairs of each node only once:

    @kept
    def repairs_of(node: Node) -> Repairs: ...

Other packages need more of a node than the machine has: its repairs, the ends of its raw payloads,
traits of its tokens for a shortcut. Each is a function of the node, in the package that needs it,
so that `machine.py` imports none of them.
"""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from toolgrammar.core.machine.machine import Machine

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from toolgrammar.grammar.tables import Tables

_MACHINES_KEPT = 64


class Keeps(Protocol):
    """An object with a cache, such as a node or a step."""

    kept: dict[Any, Any]


OfT = TypeVar("OfT", bound=Keeps)
FoundT = TypeVar("FoundT")


def kept(find_out: Callable[[OfT], FoundT]) -> Callable[[OfT], FoundT]:
    """Makes a function of such an object cache its result on it."""

    @wraps(find_out)
    def found(of: OfT) -> FoundT:
        known = of.kept
        # A failing lookup is rare, and `try` costs nothing if it succeeds.
        try:
            return known[find_out]  # type: ignore[no-any-return]
        except KeyError:
            result = known[find_out] = find_out(of)
            return result

    return found


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

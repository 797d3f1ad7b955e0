"""Caches the machines of a grammar with its tables, and results of functions on their argument.

Example, a function that searches the repairs of each node only once:

    @cached_on_argument
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

_MOST_MACHINES = 64
"""The most machines that the tables of one grammar cache."""


class HasCache(Protocol):
    """A node, a step or a builder, with the results of functions of it, by the function."""

    cache: dict[Any, Any]


ArgumentT = TypeVar("ArgumentT", bound=HasCache)
ResultT = TypeVar("ResultT")


def cached_on_argument(function: Callable[[ArgumentT], ResultT]) -> Callable[[ArgumentT], ResultT]:
    """Makes a function of one argument cache its result in the argument's `cache`."""

    @wraps(function)
    def cached(argument: ArgumentT) -> ResultT:
        results = argument.cache
        # A failing lookup is rare, and `try` costs nothing if it succeeds.
        try:
            return results[function]  # type: ignore[no-any-return]
        except KeyError:
            result = results[function] = function(argument)
            return result

    return cached


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
        if len(tables.machines) >= _MOST_MACHINES:
            tables.machines.clear()
        machine = tables.machines[key] = Machine(tables, key)
    return machine

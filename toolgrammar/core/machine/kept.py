"""Caches the results of functions of a node, a step or another object on the object itself.

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

if TYPE_CHECKING:
    from collections.abc import Callable


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

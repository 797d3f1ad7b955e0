"""Keeps what is found out about a node or a step with it, so that it is found out once.

What is known of a node goes beyond the machine: its repairs, the ends of its raw payloads, what a
shortcut asks of a token. Each is a function of the node, in the package that knows how to find it
out, so that `machine.py` imports none of them:

    @kept
    def repairs_of(node: Node) -> Repairs: ...
"""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable


class Keeps(Protocol):
    """A node or a step."""

    kept: dict[Any, Any]


OfT = TypeVar("OfT", bound=Keeps)
FoundT = TypeVar("FoundT")


def kept(find_out: Callable[[OfT], FoundT]) -> Callable[[OfT], FoundT]:
    """Makes a function of a node or a step remember what it returned for each."""

    @wraps(find_out)
    def found(of: OfT) -> FoundT:
        known = of.kept
        # A failing look-up is rare, and `try` costs nothing where it succeeds.
        try:
            return known[find_out]  # type: ignore[no-any-return]
        except KeyError:
            result = known[find_out] = find_out(of)
            return result

    return found

"""Gives ids to calls that have none, for APIs that want one."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

_MARK = "_"


def ids_of(own: Iterable[str | None], prefix: str) -> list[str]:
    """Returns the ids of the calls of a message: their own, or the prefix and the index.

    Where another call has such an id as its own, `_` is put behind it.

    Args:
        own: the id of each call, in their order; None where it has none.
        prefix: what stands before the index.
    """
    given = list(own)
    taken = set(given)
    found: list[str] = []
    for index, each in enumerate(given):
        identity = each or f"{prefix}{index}"
        while not each and identity in taken:
            identity += _MARK
        taken.add(identity)
        found.append(identity)
    return found


class ArrivingIds:
    """The ids of calls that come one after the other: what comes later is not known."""

    def __init__(self, prefix: str) -> None:
        self._prefix = prefix
        self._taken: set[str] = set()
        self._made: set[str] = set()

    def next(self, own: str | None, index: int) -> str:
        """Returns the id of the next call: a made one may have taken what it has as its own."""
        identity = own or f"{self._prefix}{index}"
        while identity in (self._made if own else self._taken):
            identity += _MARK
        self._taken.add(identity)
        if not own:
            self._made.add(identity)
        return identity

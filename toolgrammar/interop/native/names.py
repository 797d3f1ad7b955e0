"""Reads the name of a native call from its pieces, which some servers double, split or join.

With the tool `get_weather`, the pieces `get_` and `weather`, the same name in each chunk, and
`get_weatherget_weather` are all `get_weather`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

_LONGEST: Final = 512
"""Characters of joined names that are told apart."""


@dataclass(frozen=True, slots=True)
class ReadName:
    """The name that was read from its pieces."""

    names: tuple[str, ...]
    """The name; several names if a server joined those of several calls."""
    repaired: bool = False
    """Whether it was written otherwise."""
    doubtful: bool = False
    """Whether another name may have been meant."""


def read_name(pieces: Sequence[str], known: Collection[str]) -> ReadName:
    """Returns the name that the pieces of a call say; `known`: the names of all tools."""
    # One piece is what sound servers send, several that join to a tool's name is how others do.
    joined = "".join(pieces)
    merged = reduce(_merged, pieces)
    if len(pieces) == 1 and not known:
        return ReadName((joined,))
    # `search` + `search` is one name sent twice, `get_` + `weather` one in pieces, and a server
    # that sends it again each time grows it: the tools tell which it is.
    found = dict.fromkeys(name for name in (joined, merged, pieces[-1]) if name in known)
    if found:
        name = next(iter(found))
        return ReadName(
            (name,), repaired=len(pieces) > 1 and name != joined, doubtful=len(found) > 1
        )
    if known:
        names = _split(joined, known)
        if names is not None:
            return ReadName(names, repaired=True)
        bare = merged.strip()
        return ReadName((bare if bare in known else merged,), repaired=bare in known)
    # A longer piece that begins as the last one: a server that sends the name again each time, or
    # two pieces of another name.
    return ReadName(
        (merged,), repaired=merged != joined, doubtful=merged != joined and _grows(pieces)
    )


def _merged(name: str, piece: str) -> str:
    """Returns a name with one more piece: the same again, all of it once more, or its next part."""
    return piece if name and piece.startswith(name) else name + piece


def _grows(pieces: Sequence[str]) -> bool:
    return len(set(pieces)) > 1


def _split(text: str, known: Collection[str]) -> tuple[str, ...] | None:
    """Returns the names of tools that a text is joined of; None if there is not just one way."""
    # No list of names is as long; a text of any length would cost its square.
    if len(text) > _LONGEST:
        return None
    # For each place, the ways to get there; two are enough to know that it is not sure.
    ways: list[list[tuple[str, ...]]] = [[] for _ in range(len(text) + 1)]
    ways[0].append(())
    names = [name for name in known if name and name in text]
    for place in range(len(text)):
        for name in names if ways[place] else ():
            if text.startswith(name, place):
                there = ways[place + len(name)]
                there += [(*way, name) for way in ways[place]][: 2 - len(there)]
    return ways[-1][0] if len(ways[-1]) == 1 else None

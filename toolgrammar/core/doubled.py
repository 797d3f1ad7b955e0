"""Reads a name that the wire writes twice, as in `get_weather.get_weather`, as the name once."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Container


def once(name: str, between: str, tools: Container[str] = ()) -> str:
    """Gives the half of a name that stands twice; any other name, and that of a tool, as it is.

    Args:
        name: the name on the wire.
        between: what stands between the halves; nothing where names are not doubled.
        tools: the names of the known tools.
    """
    size = (len(name) - len(between)) // 2
    half = name[: max(0, size)]
    if between and half and name == f"{half}{between}{half}" and name not in tools:
        return half
    return name

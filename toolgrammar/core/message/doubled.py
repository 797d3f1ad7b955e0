"""Recognises names that the wire writes twice: `get_weather.get_weather` is `get_weather`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Container


def undoubled(name: str, between: str, tools: Container[str] = ()) -> str:
    """Returns one half of a doubled name, and any other name or the name of a tool unchanged.

    Args:
        name: the name as it is written.
        between: the separator of the halves; empty if the format does not double names.
        tools: the names of the known tools.
    """
    size = (len(name) - len(between)) // 2
    half = name[: max(0, size)]
    # A tool may really be called `ping.ping`: a known name is never halved.
    if between and half and name == f"{half}{between}{half}" and name not in tools:
        return half
    return name

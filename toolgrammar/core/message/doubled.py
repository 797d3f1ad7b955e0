"""Recognises text that the wire writes twice: doubled names, and closers that repeat their opener.

Example: `get_weather.get_weather` is the name `get_weather`; a block that five backticks open is
closed by five or more.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgrammar.patterns import fences

if TYPE_CHECKING:
    from collections.abc import Container


class Marks:
    """The fence and the mark that were read last, which their closers repeat."""

    def __init__(self) -> None:
        self.fence = self.mark = ""

    def note_fence(self, fence: str) -> None:
        """Sets the fence that was read last, of backticks or tildes."""
        self.fence = fence

    def note_mark(self, mark: str) -> None:
        """Sets the mark that was read last, such as the `EOF` of a here document."""
        self.mark = mark

    def of(self, terminal: str) -> str:
        """Returns the text that a terminal has to repeat."""
        return self.fence if terminal == "SAME_FENCE" else self.mark

    def repeats(self, terminal: str, text: str) -> bool:
        """Whether a text repeats what a terminal has to repeat; a fence may be longer."""
        if terminal == "SAME_FENCE":
            # As in Markdown, a block that four backticks open may contain three, and five may close
            # it.
            return fences.length(text) >= fences.length(self.fence)
        return text.strip() == self.mark


def once(name: str, between: str, tools: Container[str] = ()) -> str:
    """Returns one half of a doubled name, and any other name or the name of a tool unchanged.

    Args:
        name: the name on the wire.
        between: the separator of the halves; empty if the format does not double names.
        tools: the names of the known tools.
    """
    size = (len(name) - len(between)) // 2
    half = name[: max(0, size)]
    # A tool may really be called `ping.ping`: a known name is never halved.
    if between and half and name == f"{half}{between}{half}" and name not in tools:
        return half
    return name

"""Knows what the wire writes twice: a doubled name, and what a closer repeats of its opener.

Example: `get_weather.get_weather` is the name `get_weather`; only five backticks close what five
have opened.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolgrammar.patterns import fences

if TYPE_CHECKING:
    from collections.abc import Container

MARK_TERMINALS: Final = frozenset({"SAME_FENCE", "SAME_MARK"})
"""Terminals that repeat a fence or a mark; others repeat a name or a key."""


class Marks:
    """The fence and the mark that were read last, which a closer repeats."""

    def __init__(self) -> None:
        self.fence = self.mark = ""

    def note_fence(self, fence: str) -> None:
        """Takes the fence that was read last, backticks or tildes."""
        self.fence = fence

    def note_mark(self, mark: str) -> None:
        """Takes the mark that was read last, such as the `EOF` of a here document."""
        self.mark = mark

    def of(self, terminal: str) -> str:
        """Returns what a terminal has to repeat."""
        return self.fence if terminal == "SAME_FENCE" else self.mark

    def repeats(self, terminal: str, text: str) -> bool:
        """Whether a text repeats what a terminal has to repeat; a fence may be longer."""
        if terminal == "SAME_FENCE":
            # As in Markdown: a block that four backticks open may hold three, and five may close
            # it.
            return fences.length(text) >= fences.length(self.fence)
        return text.strip() == self.mark


def once(name: str, between: str, tools: Container[str] = ()) -> str:
    """Returns the half of a name that stands twice; any other name, and that of a tool, as it is.

    Args:
        name: the name on the wire.
        between: what stands between the halves; nothing where names are not doubled.
        tools: the names of the known tools.
    """
    size = (len(name) - len(between)) // 2
    half = name[: max(0, size)]
    # A tool may really be called `ping.ping`: a known name is never halved.
    if between and half and name == f"{half}{between}{half}" and name not in tools:
        return half
    return name

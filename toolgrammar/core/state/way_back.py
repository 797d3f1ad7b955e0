"""Holds the driver's state before a short literal, which the text after it may take back.

Example: of `</b>`, where `</search>` is expected, `</` is read first. The name `b` is another one,
so the driver goes back to the index of `</`, and to the node that it had there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from toolgrammar.core.machine.machine import Node, Step


class WayBack(NamedTuple):
    """The state of a driver before the literal that it read last."""

    start: int
    """The index of the literal in the buffer."""
    node: Node
    last_end: int
    """The offset where the token or payload before it ends."""
    previous: Step | None
    """The token or payload before it; None at the beginning of the message."""

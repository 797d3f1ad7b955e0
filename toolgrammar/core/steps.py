"""Says what reading one terminal in one node does."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from toolgrammar.core.scanners import beginning

if TYPE_CHECKING:
    from toolgrammar.core.machine import Machine, Node
    from toolgrammar.core.tables import Terminal


class Step:
    """What reading one terminal in one node does."""

    def __init__(self, machine: Machine, terminal: Terminal) -> None:
        self.machine = machine
        self.terminal = terminal
        self.kind = terminal.kind
        self.begins = beginning(terminal)
        """How a payload begins."""
        self.constants = terminal.fills(machine.tool_names)
        """Roles that it fills with a text of the header."""
        self.before: tuple[str, ...] = ()
        """Roles that close before the terminal."""
        self.after: tuple[str, ...] = ()
        """Roles that close with it."""
        self.leaf = ""
        """The role that the terminal fills."""
        self.opens = ""
        """The structure that opens with it."""
        self.otherwise: Step | None = None
        """What a JSON payload is where it is no JSON: the raw payload that may stand there too."""
        self.stack: tuple[int, ...] = ()
        self.weight = len(terminal.text.strip()) if terminal.kind == "literal" else 0
        """Literal characters: evidence that what stands here is a call."""

    @cached_property
    def node(self) -> Node:
        """The node that the step leads to, made when it is first asked for."""
        return self.machine.node(self.stack)

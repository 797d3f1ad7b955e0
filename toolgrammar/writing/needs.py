"""Keeps what of a message has not been written yet, while the rules of a grammar are walked."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from toolgrammar.core.tables import ANY_TOOL

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from toolgrammar.core.tables import Tables, Terminal
    from toolgrammar.values.calls import ToolCall
    from toolgrammar.writing.stretches import Stretch


class Needs:
    """What is still to be written; each alternative is tried on a copy."""

    __slots__ = (
        "arguments",
        "call",
        "calls",
        "inputs",
        "key",
        "last_key",
        "parts",
        "prose",
        "whole",
    )

    def __init__(self, calls: Sequence[ToolCall], prose: Stretch | None = None) -> None:
        self.calls = list(calls)
        """The calls that no rule has taken."""
        self.prose = prose
        """The text or the reasoning that no rule has taken."""
        self.call: ToolCall | None = None
        """The call that is being written."""
        self.parts: set[str] = set()
        """The roles of this call that are still to be written."""
        self.arguments: list[tuple[str, Any]] = []
        """The arguments of this call that are still to be written."""
        self.key: tuple[str, Any] | None = None
        """The argument whose key is written and whose value is not."""
        self.whole = False
        """Whether arguments were written one by one, so that they can't come all at once."""
        self.last_key = ""
        """The key that was written last."""
        self.inputs = 0
        """How many parts of the text of this call are still to come."""

    def copy(self) -> Needs:
        """Gives needs of their own for one try."""
        other = Needs(self.calls, self.prose)
        other.call, other.key, other.whole = self.call, self.key, self.whole
        other.last_key, other.inputs = self.last_key, self.inputs
        other.parts, other.arguments = set(self.parts), list(self.arguments)
        return other

    def take(self, other: Needs) -> None:
        """Takes over what a try has left."""
        self.calls, self.call, self.parts = other.calls, other.call, other.parts
        self.arguments, self.key, self.whole = other.arguments, other.key, other.whole
        self.last_key, self.prose, self.inputs = other.last_key, other.prose, other.inputs

    def begin(self, call: ToolCall, tables: Tables, wire_names: Mapping[str, str]) -> None:
        """Sets up what a call needs.

        Args:
            call: the call.
            tables: the compiled grammar.
            wire_names: the arguments on the wire that are roles, by role.
        """
        if call.input is None and tables.has_words:
            call = with_input(call)
        self.call = call
        self.whole = False
        self.parts = {"name", "arguments"}
        self.arguments = list(call.arguments.items())
        if call.id is not None:
            self.parts.add("id")
        if call.depends_on:
            self.parts.add("depends_on")
        if call.input is not None or tables.free_text:
            self.parts.add("input")
            keyed = call.input is not None and (tables.has_keys or tables.has_words)
            self.arguments = list(beside_input(call).items()) if keyed else []
            if call.input is not None and not beside_input(call):
                # Under one key stands either; with both, the last would hide the text.
                self.parts.discard("arguments")
        for role, value in (("id", call.id), ("depends_on", ",".join(call.depends_on))):
            if value and role in wire_names:
                self.parts.discard(role)
                self.arguments.append((wire_names[role], value))

    def stand_for(self, terminal: Terminal) -> bool:
        """Takes off what a terminal stands for: the tool, or a key; false where that is not due."""
        call = self.call
        for role, text in terminal.constants if call is not None else ():
            if role == "name":
                if "name" not in self.parts or text not in (ANY_TOOL, call.name if call else ""):
                    return False
                self.parts.discard("name")
            else:
                at = next((at for at, (key, _) in enumerate(self.arguments) if key == text), -1)
                if at < 0:
                    return False
                self.key, self.whole, self.last_key = self.arguments.pop(at), True, text
        return call is not None

    @property
    def size(self) -> tuple[int, int, int, int]:
        """How much is left; a rule that makes it smaller has written something."""
        prose = self.prose is not None
        return (len(self.calls), prose, len(self.parts), len(self.arguments))

    @property
    def argument_is_whole(self) -> bool:
        """Whether the value of the last key was written."""
        return self.key is None

    @property
    def call_is_whole(self) -> bool:
        """Whether nothing of the call is left that must stand somewhere."""
        return not self.parts & {"name", "id", "input", "depends_on"} and not self.arguments


def with_input(call: ToolCall) -> ToolCall:
    """Gives a call whose last argument is its text, where that is a string."""
    last = list(call.arguments.values())[-1:]
    text = last[0] if last and isinstance(last[0], str) else ""
    return replace(call, input=text)


def beside_input(call: ToolCall) -> dict[str, Any]:
    """Gives the arguments of a call but for the one that its text fills."""
    return {key: value for key, value in call.arguments.items() if value != call.input}

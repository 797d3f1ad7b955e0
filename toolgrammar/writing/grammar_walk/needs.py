"""Tracks the parts of a message that have to be written while the rules of a grammar are walked."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from toolgrammar.grammar.terminals import ANY_TOOL

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from toolgrammar.grammar.tables import Tables
    from toolgrammar.grammar.terminals import Terminal
    from toolgrammar.values.calls import ToolCall
    from toolgrammar.writing.stretches import Stretch


class Needs:
    """The parts that are still to be written; each alternative is tried on a copy."""

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
        """The number of parts of this call's text that are not written yet."""

    def copy(self) -> Needs:
        """Returns an independent copy for one try."""
        other = Needs(self.calls)
        other.take(self)
        other.own_lists()
        return other

    def own_lists(self) -> None:
        """Copies the sets and lists, to detach them: keys are tuples, and a call is never changed."""
        self.calls, self.parts, self.arguments = (
            [*self.calls],
            {*self.parts},
            [*self.arguments],
        )

    def take_call(self) -> ToolCall:
        """Accepts the next call, which a rule writes."""
        call, *self.calls = self.calls
        return call

    def expect_inputs(self, count: int) -> None:
        """Notes how many parts of the text of this call are to come."""
        self.inputs = count

    def take_prose(self) -> None:
        """Notes that the text or the reasoning is written."""
        self.prose = None

    def take_arguments(self) -> list[tuple[str, Any]]:
        """Consumes all arguments that are still to be written."""
        arguments, self.arguments = self.arguments, []
        return arguments

    def take_key(self) -> str:
        """Accepts the next argument; returns its key, whose value is to come."""
        self.key, self.whole = self.arguments.pop(0), True
        self.last_key = self.key[0]
        return self.last_key

    def take_value(self) -> None:
        """Notes that the value of the key is written."""
        self.key = None

    def take_input(self) -> int:
        """Consumes a part of the text of this call; returns how many are still to come."""
        self.inputs -= 1
        return self.inputs

    def leave_input(self, rest: str) -> None:
        """Leaves the rest of the text to be written."""
        assert self.call is not None
        self.call = self.call.__class__(self.call.name, {}, input=rest)

    def take(self, other: Needs) -> None:
        """Adopts the state of a successful try."""
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
        # Words stand on the line of the call; the last string is written as the text below it.
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
            # Named arguments beside a text are written by themselves; without keys there is no
            # place for them.
            keyed = call.input is not None and (tables.has_keys or tables.has_words)
            self.arguments = list(beside_input(call).items()) if keyed else []
            if call.input is not None and not beside_input(call):
                # Under one key stands either; with both, the last would hide the text.
                self.parts.discard("arguments")
        # Ids may be arguments on the wire, as in `search(q="x", call_id="c1")`: a header says so.
        for role, value in (("id", call.id), ("depends_on", ",".join(call.depends_on))):
            if value and role in wire_names:
                self.parts.discard(role)
                self.arguments.append((wire_names[role], value))

    def stand_for(self, terminal: Terminal) -> bool:
        """Consumes the tool or the key of a terminal; returns false if it is not due."""
        call = self.call
        # A terminal that has a constant is the name, or a key, by itself: `<search>` is the tool's
        # name.
        for role, text in terminal.constants if call is not None else ():
            if role == "name":
                # `ANY_TOOL` matches any tool that the caller passes.
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
        """A measure of what is left; a rule that makes it smaller has written something."""
        prose = self.prose is not None
        return (len(self.calls), prose, len(self.parts), len(self.arguments))

    @property
    def argument_is_whole(self) -> bool:
        """Whether the value of the last key was written."""
        return self.key is None

    @property
    def call_is_whole(self) -> bool:
        """Whether every part of the call that has to be written is written."""
        return not self.parts & {"name", "id", "input", "depends_on"} and not self.arguments


def with_input(call: ToolCall) -> ToolCall:
    """Returns a call with its last argument as its text, if that is a string."""
    last = list(call.arguments.values())[-1:]
    # A lone number is not a text: it is written as words, and the text stays empty.
    text = last[0] if last and isinstance(last[0], str) else ""
    return replace(call, input=text)


def beside_input(call: ToolCall) -> dict[str, Any]:
    """Returns the arguments of a call but for the one that its text fills."""
    # The argument that the text fills bears the text as its value; its name is not known here.
    return {key: value for key, value in call.arguments.items() if value != call.input}

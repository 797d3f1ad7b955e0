"""Says what reading one terminal in one node does."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from toolgrammar.core.backslashes import plain_name
from toolgrammar.core.loose import alike_pattern, loose_pattern
from toolgrammar.core.roles import KNOWN_TOOL
from toolgrammar.core.scanners import beginning, begun

if TYPE_CHECKING:
    import re
    from collections.abc import Container

    from toolgrammar.core.bare_frame import BareFrame
    from toolgrammar.core.machine import Machine, Node
    from toolgrammar.core.next_calls import NextCall
    from toolgrammar.core.tables import Terminal

_SOUND_LEAVES = frozenset({"", "name", "id", "key"})
_SOUND_OPENERS = frozenset({"", "call", "argument", "calls", "parallel"})
_UNSOUND_ENDS = frozenset({"sequential", "result", "results"})


def rank_of_kind(terminal: Terminal) -> int:
    """Orders the kinds of terminals: a keyword before a pattern, bare punctuation after both."""
    if terminal.kind == "regex":
        return 1
    text = terminal.text.strip()
    bare = terminal.kind == "literal" and len(text) < 3 and not any(c.isalnum() for c in text)
    return 2 if bare else 0


class Step:
    """What reading one terminal in one node does."""

    def __init__(self, machine: Machine, terminal: Terminal) -> None:
        self.machine = machine
        self.terminal = terminal
        self.kind = terminal.kind
        self.begins = beginning(terminal)
        """How a payload begins."""
        self.begun = begun(terminal)
        """What may yet become that; None where one character tells."""
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

    @cached_property
    def frame(self) -> BareFrame:
        """What stands around an object with bare words that the step reads."""
        from toolgrammar.core.bare_frame import BareFrame  # few formats have such objects

        return BareFrame(self)

    @cached_property
    def next_call(self) -> NextCall:
        """How the next call of a list begins behind it."""
        from toolgrammar.core.next_calls import NextCall  # only damaged texts ask

        return NextCall(self.node)

    @cached_property
    def may_be_loose(self) -> bool:
        """Whether the terminal is read in other ways than the grammar says, too."""
        return loose_pattern(self.terminal) != "" or alike_pattern(self.terminal) != ""

    @cached_property
    def is_sound(self) -> bool:
        """Whether reading the token needs no judgement, so that a sound stream can take it."""
        terminal = self.terminal
        return not (
            self.constants
            or terminal.is_fence
            or terminal.is_mark
            or self.leaf not in _SOUND_LEAVES
            or self.opens not in _SOUND_OPENERS
            or (terminal.name == "JSON_STRING" and not self.leaf)
            or (self.kind == "same" and terminal.name not in ("SAME_NAME", "SAME_KEY"))
            or any(role not in _SOUND_LEAVES for _, role in terminal.groups)
            or not _UNSOUND_ENDS.isdisjoint((*self.before, *self.after))
        )

    def filled(self, match: re.Match[str], text: str) -> list[tuple[str, str]]:
        """Gives the roles that the token fills, with their texts; a part of a name replaces it."""
        parts = [(role, match[group]) for group, role in self.terminal.groups]
        found = [(role, part) for role, part in parts if part is not None and role != KNOWN_TOOL]
        if self.leaf and self.leaf not in dict(found):
            found.insert(0, (self.leaf, text))
        return found

    def names_stranger(self, match: re.Match[str], tools: Container[str]) -> bool:
        """Whether the token holds what has to be the name of a known tool, and is none."""
        return any(
            role == KNOWN_TOOL
            and match[group] is not None
            and plain_name(match[group]) not in tools
            for group, role in self.terminal.groups
        )

    @cached_property
    def may_begin_call(self) -> bool:
        """Whether the token is one behind which a call with a name has begun, if it is distinct."""
        return not self.leaf and all(role != "name" for _, role in self.terminal.groups)

    @cached_property
    def ends_line(self) -> bool:
        """Whether a line ends behind the token."""
        return "\n" in self.terminal.trail

    @cached_property
    def is_silent(self) -> bool:
        """Whether it is a literal that opens, closes and fills nothing."""
        return self.kind == "literal" and not (
            self.before
            or self.after
            or self.opens
            or self.leaf
            or self.terminal.groups
            or not self.is_sound
        )

    @cached_property
    def written(self) -> str:
        """The literal without white space around it."""
        return self.terminal.text.strip()

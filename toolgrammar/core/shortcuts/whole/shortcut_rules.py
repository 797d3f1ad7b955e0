"""Defines the rules that the shortcuts need of a format, and the tokens left to the driver.

Example: the token `<tool_call>` opens a call, which both shortcuts can do; the fence of a code
block is closed by a fence of the same length, so it is left to the driver.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgrammar.core.trust.stray_reasoning_closer import with_halves

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from toolgrammar.core.machine.machine import Machine, Step
    from toolgrammar.grammar.header import Header

_OF_TOKENS = frozenset({"name", "key"})  # Roles that tokens fill, and no raw text.
_LEAVES = frozenset({"", "name", "id", "key"})
_OPENED = frozenset({"", "call", "argument", "calls", "parallel"})
_ENDS_FOR_DRIVER = frozenset({"sequential", "result", "results"})


def needs_driver(step: Step) -> bool:
    """Whether a token needs state that only the driver has.

    Such tokens are fences and marks that their closers repeat, those that fill a role from the
    header, and those of dependencies between calls or of tool results.
    """
    terminal = step.terminal
    roles = (step.leaf, *(role for _, role in terminal.groups))
    return (
        bool(step.constants)
        or terminal.is_fence
        or terminal.is_mark
        or (step.kind == "same" and terminal.name not in ("SAME_NAME", "SAME_KEY"))
        or step.opens not in _OPENED
        or not _LEAVES.issuperset(roles)
        or not _ENDS_FOR_DRIVER.isdisjoint((*step.before, *step.after))
    )


class ShortcutRules:
    """The rules of a format on which the reading of a sound message depends."""

    # This is not a named tuple, since the attributes of an object are read faster, and these are
    # read for each message.
    def __init__(
        self, header: Header, digest: str, closers: Iterable[str], machine: Machine | None
    ) -> None:
        self.id = header.id
        self.digest = digest
        self.trim: Mapping[str, str] = header.trim
        self.unwrap = tuple(header.unwrap)
        """The keys that may contain all arguments of a call."""
        self.awaits_answer = bool(header.answer)
        """Whether a final answer may put a call in doubt, so that the end of the call waits."""
        self.has_lines = header.messages == "lines"
        """Whether a line end is inserted between the texts of several envelopes."""
        self.entities = bool(header.entities)
        self.has_raw_entities = not _OF_TOKENS.issuperset(header.entities)
        """Whether `&` in raw text may begin an entity."""
        self.drops = header.unknown_arguments == "drop"
        """Whether arguments that the tool does not have are dropped."""
        self.judges = bool(self.unwrap) or self.drops or header.no_calls != ""
        """Whether calls need checks for wrapped or dropped arguments and the name of no call."""
        self.by_shape = header.types == "shape"
        """Whether a raw value that is JSON has the type of that JSON."""
        self.no_calls = header.no_calls
        """The name that means no call, or ""."""
        self.closers = with_halves(closers)
        """The closers of reasoning, and what is left of them without their last special token."""
        self.machine = machine
        """The machine of the format; None if it depends on the names of the tools."""

"""Says what reading a message depends on in which everything is as its format says.

Example: the token `<tool_call>` opens a call, which both shortcuts do themselves; the fence of a block
of code is closed by one of its length, so it is left to the driver.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgrammar.core.trust.stray_reasoning_closer import with_halves
from toolgrammar.grammar.payload_kinds import PAYLOADS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from toolgrammar.core.machine.machine import Machine, Step
    from toolgrammar.grammar.header import Header

OBJECTS = tuple(name for name, payload in PAYLOADS.items() if payload.is_object)
"""Payloads that are an object and nothing else."""
SCANNED = tuple(n for n, each in PAYLOADS.items() if each.notation not in ("text", "raw", "json"))
"""Payloads that are neither text nor JSON: a scanner of their own reads them at once."""
_OF_TOKENS = frozenset({"name", "key"})  # Roles that tokens fill, and no raw text.
_LEAVES = frozenset({"", "name", "id", "key"})
_OPENED = frozenset({"", "call", "argument", "calls", "parallel"})
_ENDS_FOR_DRIVER = frozenset({"sequential", "result", "results"})


def needs_driver(step: Step) -> bool:
    """Whether a token asks for what the driver alone keeps.

    That is a fence or a mark that its closer repeats, a role that the header fills, the dependencies
    between calls, results of tools.
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
    """What a message in which everything is as its format says depends on."""

    # No named tuple: its fields are asked for with every message, and those of an object are faster.
    def __init__(
        self, header: Header, digest: str, closers: Iterable[str], machine: Machine | None
    ) -> None:
        self.id = header.id
        self.digest = digest
        self.trim: Mapping[str, str] = header.trim
        self.unwrap = tuple(header.unwrap)
        """Keys that may hold all arguments of a call."""
        self.awaits_answer = bool(header.answer)
        """Whether a final answer may yet put a call into doubt, so that its end waits."""
        self.has_lines = header.messages == "lines"
        """Whether a line end is put between the texts of several envelopes."""
        self.entities = bool(header.entities)
        self.has_raw_entities = not _OF_TOKENS.issuperset(header.entities)
        """Whether `&` may begin the entity of a character."""
        self.drops = header.unknown_arguments == "drop"
        """Whether arguments that the tool does not have are left out."""
        self.judges = bool(self.unwrap) or self.drops or header.no_calls != ""
        """Whether name and arguments decide what is one: some wrap others, or are left out."""
        self.by_shape = header.types == "shape"
        """Whether a raw value that is JSON has the type that it shows."""
        self.no_calls = header.no_calls
        """The name of a call that is none."""
        self.closers = with_halves(closers)
        """What closes reasoning, and what is left of it where its last special token is missing."""
        self.machine = machine
        """What reads it, where the names of the tools are no part of the wire."""

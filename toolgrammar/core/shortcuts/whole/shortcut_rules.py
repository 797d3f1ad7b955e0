"""Says what reading a message depends on in which everything is as its format says."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgrammar.core.trust.stray_reasoning_closer import with_halves

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from toolgrammar.core.machine.machine import Machine
    from toolgrammar.grammar.header import Header


_OF_TOKENS = frozenset({"name", "key"})  # Roles that tokens fill, and no raw text.


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

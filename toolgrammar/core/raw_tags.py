"""Says which tokens of a format are tags, and which so short that they say little."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgrammar.core.raw_outer import LONG
from toolgrammar.core.sample import sample

if TYPE_CHECKING:
    from toolgrammar.core.tables import Terminal


def is_tag(terminal: Terminal) -> bool:
    """Whether a terminal is a text of some length, in whatever case, and holds no name."""
    return len(sampled(terminal).strip()) > LONG and not terminal.groups


def sampled(terminal: Terminal) -> str:
    """Gives the text of a terminal, or one that its expression matches."""
    return terminal.text or (sample(terminal.pattern) if terminal.kind == "regex" else "") or ""


def is_bracket(terminal: Terminal) -> bool:
    """Whether a terminal is a text so short that a key makes most of what it opens."""
    return terminal.kind != "regex" and not is_tag(terminal)

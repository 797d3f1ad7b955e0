"""Tells whether the stream reader may take a token itself, and what it has to check.

Example: `", "arguments": ` opens, closes and fills nothing, so it is only passed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgrammar.core.driver.behind_calls import ends_call
from toolgrammar.core.machine.kept import kept
from toolgrammar.core.machine.relaxed_quotes import alike_pattern, loose_pattern
from toolgrammar.core.shortcuts.whole.shortcut_rules import needs_driver

if TYPE_CHECKING:
    from toolgrammar.core.machine.machine import Step


class TokenTraits:
    """What reading one token in one node asks of its reader."""

    def __init__(self, step: Step) -> None:
        terminal = step.terminal
        self.written = terminal.text.strip()
        """The literal without white space around it."""
        self.may_be_loose = loose_pattern(terminal) != "" or alike_pattern(terminal) != ""
        """Whether the terminal is read in other ways than the grammar says, too."""
        self.ends_call = ends_call(step)
        """Whether a call ends with it, and text may follow."""
        self.may_begin_call = not step.leaf and all(role != "name" for _, role in terminal.groups)
        """Whether the token is one behind which a call with a name has begun, if it is distinct."""
        self.is_for_shortcut = not (
            needs_driver(step) or (terminal.name == "JSON_STRING" and not step.leaf)
        )
        """Whether reading it needs no judgement, so that a sound stream can take it."""
        self.is_silent = (
            step.kind == "literal"
            and self.is_for_shortcut
            and not (step.before or step.after or step.opens or step.leaf or terminal.groups)
        )
        """Whether it is a literal that opens, closes and fills nothing."""


@kept
def traits_of(step: Step) -> TokenTraits:
    """Returns what the stream reader has to know of a token."""
    return TokenTraits(step)

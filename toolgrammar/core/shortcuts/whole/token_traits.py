"""Tells what a shortcut has to know of a token before it takes it without the driver.

Example: the token `", "arguments": ` opens, closes and fills nothing, so it is only passed; the fence of
a block of code is left to the driver.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgrammar.core.driver.behind_calls import ends_call
from toolgrammar.core.machine.kept import kept
from toolgrammar.core.machine.relaxed_quotes import alike_pattern, is_loose, loose_pattern
from toolgrammar.core.shortcuts.whole.shortcut_rules import needs_driver
from toolgrammar.grammar.roles import GROUP_ROLES

if TYPE_CHECKING:
    from toolgrammar.core.machine.machine import Step


class TokenTraits:
    """What reading one token in one node asks of its reader."""

    def __init__(self, step: Step) -> None:
        terminal = step.terminal
        self._terminal = terminal
        self._written = terminal.text.strip()
        self.may_be_loose = loose_pattern(terminal) != "" or alike_pattern(terminal) != ""
        """Whether the terminal is read in other ways than the grammar says, too."""
        self.ends_call = ends_call(step)
        """Whether a call ends with it, and text may follow."""
        self.may_begin_call = not step.leaf and all(role != "name" for _, role in terminal.groups)
        """Whether the token is one behind which a call with a name has begun, if it is distinct."""
        self.needs_driver = needs_driver(step)
        """Whether reading it takes a judgement."""
        self.is_silent = (
            step.kind == "literal"
            and not self.needs_driver
            and not (step.before or step.after or step.opens or step.leaf or terminal.groups)
        )
        """Whether it is a literal that opens, closes and fills nothing."""
        self.fills = bool(step.leaf or terminal.groups)
        """Whether it fills a role."""
        self.opens_group = step.opens in GROUP_ROLES

    def is_damaged(self, text: str) -> bool:
        """Whether the token is written in another way than the grammar says: the driver mends it."""
        # `'name':` is read where the grammar has `"name":`, but it is a repair.
        if not self.may_be_loose or text.strip() == self._written:
            return False
        return self.is_silent or is_loose(self._terminal, text)


@kept
def traits_of(step: Step) -> TokenTraits:
    """Returns what a shortcut has to know of a token."""
    return TokenTraits(step)

"""Classifies tokens for the shortcuts: which of them they can read without the driver.

Example: the token `", "arguments": ` opens, closes and fills nothing, so it is only skipped; the
fence of a code block is left to the driver.
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
    """The traits of one token at one node."""

    def __init__(self, step: Step) -> None:
        terminal = step.terminal
        self._terminal = terminal
        self._written = terminal.text.strip()
        self.may_be_loose = loose_pattern(terminal) != "" or alike_pattern(terminal) != ""
        """Whether the terminal is also read in other notations than the grammar's."""
        self.ends_call = ends_call(step)
        """Whether a call ends with it, and its arguments may go on after it."""
        self.may_begin_call = not step.leaf and all(role != "name" for _, role in terminal.groups)
        """Whether it makes a call with a name certain, if it is distinctive."""
        self.needs_driver = needs_driver(step)
        """Whether the driver has to read it."""
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
        """Whether the token is not in the grammar's notation, so that the driver has to mend it."""
        # `'name':` is accepted where the grammar has `"name":`, but it is a repair.
        if not self.may_be_loose or text.strip() == self._written:
            return False
        return self.is_silent or is_loose(self._terminal, text)


@kept
def traits_of(step: Step) -> TokenTraits:
    """Returns the traits of a token."""
    return TokenTraits(step)

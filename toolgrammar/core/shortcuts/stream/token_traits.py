"""Says what the stream reader has to know of a token before it takes it without the driver."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgrammar.core.driver.behind_calls import ends_call
from toolgrammar.core.machine.kept import kept
from toolgrammar.core.machine.relaxed_quotes import alike_pattern, loose_pattern

if TYPE_CHECKING:
    from toolgrammar.core.machine.machine import Step

_SHORTCUT_LEAVES = frozenset({"", "name", "id", "key"})
_SHORTCUT_OPENERS = frozenset({"", "call", "argument", "calls", "parallel"})
_ENDS_FOR_DRIVER = frozenset({"sequential", "result", "results"})


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
            # What each of these asks for is kept by the driver alone: fences, marks, dependencies,
            # results.
            step.constants
            or terminal.is_fence
            or terminal.is_mark
            or step.leaf not in _SHORTCUT_LEAVES
            or step.opens not in _SHORTCUT_OPENERS
            or (terminal.name == "JSON_STRING" and not step.leaf)
            or (step.kind == "same" and terminal.name not in ("SAME_NAME", "SAME_KEY"))
            or any(role not in _SHORTCUT_LEAVES for _, role in terminal.groups)
            or not _ENDS_FOR_DRIVER.isdisjoint((*step.before, *step.after))
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

"""Judges reasoning that has ended: what the model wrote in it puts the calls behind it in doubt, too.

Example: behind `<think>Ok.<tool_response>{"ok": true}</tool_response></think>` no call runs, since the
model made up the result on which it may be based.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgrammar.core.trust.surroundings import element_around

if TYPE_CHECKING:
    from toolgrammar.core.evidence.signs import SeveralSigns, Signs
    from toolgrammar.core.machine.machine import Node
    from toolgrammar.core.message.build import Builder


def may_be_left_open(node: Node) -> bool:
    """Whether the opener of a call, too, may end reasoning before a node."""
    return not node.names.isdisjoint(node.machine.start.names)


def is_thought_doubtful(thought: str, signs: Signs | SeveralSigns, *, is_open: bool) -> bool:
    """Whether reasoning may put calls in doubt, so that the shortcuts leave it to the driver.

    Args:
        thought: the reasoning.
        signs: the signs of calls.
        is_open: whether the opener of a call may have ended it.
    """
    if signs.begin_other_turn_in_thought(thought):
        return True
    return is_open and element_around(thought, "") != ""


def judge_thought(builder: Builder, start: int, end: int, *, is_open: bool) -> None:
    """Notes another turn in reasoning, and what a call interrupts in reasoning without a closer.

    Args:
        builder: the message.
        start: the offset of the reasoning.
        end: the offset of its end.
        is_open: whether the opener of a call ended it, and not its own closer.
    """
    signs, turns = builder.around, builder.turns
    if signs is None:
        return
    thought = builder.source.slice(start, end)
    if not turns.other_turn and signs.begin_other_turn_in_thought(thought):
        turns.begin_other_turn()
    # The closer of reasoning closes what was left open in it.
    if is_open:
        turns.leave_thought(end)
        turns.stand_in_element(element_around(thought, turns.element))

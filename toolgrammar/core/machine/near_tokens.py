"""Writes what resembles the tokens around an argument, and finds openers that may be misspelt.

Example: `<paramter=` resembles `<parameter=`, which opens an argument.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgrammar.core.machine.near_marks import near_mark

if TYPE_CHECKING:
    from toolgrammar.core.machine.machine import Node, Step


def near_opener(step: Step, group: str) -> tuple[str, str]:
    """Returns an expression of what resembles the opener of an argument, and its longest word.

    Both are empty where the step opens none, or has no word that is long enough. What the group
    of the expression matches is a misspelling only if `is_near` says so.
    """
    # `<parameter=` is known for the opener of an argument by the key that follows it.
    keyed = any(each.leaf == "key" for each in step.node.steps.values())
    return near_mark(step.terminal.text, group) if keyed else ("", "")


def near_closer(step: Step, group: str) -> tuple[str, str]:
    """Returns the same of what resembles the closer of an argument."""
    closes = step.kind == "literal" and "argument" in step.after
    return near_mark(step.terminal.text, group) if closes else ("", "")


def opens_at(node: Node, text: str, place: int) -> bool:
    """Whether an opener stands at a place, or one that may be misspelt."""
    if node.opener.match(text, place):
        return True
    return any(each.matches(text, place) for each in node.near_openers)

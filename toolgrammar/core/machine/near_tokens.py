"""Writes the expressions of misspelt tokens around an argument.

Example: `<paramter=` resembles `<parameter=`, which opens an argument.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgrammar.core.machine.near_marks import near_mark

if TYPE_CHECKING:
    from toolgrammar.core.machine.machine import Step


def near_opener(step: Step, group: str) -> tuple[str, str]:
    """Returns an expression that matches a misspelt opener of an argument, and its longest word.

    Both are empty if the step does not open an argument, or has no word that is long enough. Only
    those matches are misspellings for whose group `is_near` is true.
    """
    # The key that follows shows that `<parameter=` is the opener of an argument.
    keyed = any(each.role == "key" for each in step.node.steps.values())
    return near_mark(step.terminal.text, group) if keyed else ("", "")


def near_closer(step: Step, group: str) -> tuple[str, str]:
    """Returns such an expression for the closer of an argument, and its longest word."""
    closes = step.kind == "literal" and "argument" in step.closes
    return near_mark(step.terminal.text, group) if closes else ("", "")

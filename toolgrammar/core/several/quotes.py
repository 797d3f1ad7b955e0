"""Finds the ways in which a format quotes text, such as its fenced blocks of text.

Example: if a format reads code blocks as text, a call in one is an example for this format, but not
for others.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgrammar.core.message.quoted import Quote
from toolgrammar.core.payloads.raw.named_end import end_of_raw
from toolgrammar.patterns.partial import unnamed

if TYPE_CHECKING:
    from toolgrammar.core.machine.machine import Machine


def quotes(machine: Machine) -> list[Quote]:
    """Returns the ways in which a format quotes text."""
    found = []
    start = machine.start
    for group, terminal in start.tokens:
        step = start.steps[group]
        for payload in step.node.payloads:
            # A quote is a block of text with an opener and a closer, and no role of a call in it.
            if step.leaf == payload.leaf == "text" and payload.terminal.name == "RAW":
                end = unnamed(end_of_raw(payload).search.pattern)
                found.append(Quote(unnamed(machine.expressions.pattern(terminal)), end))
    return found

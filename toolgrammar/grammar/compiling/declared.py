"""Makes the terminals that a grammar only declares, which have a built-in definition.

Example: `%declare COUNT` gives an expression of digits, `%declare JSON_OBJECT` a payload.
"""

from __future__ import annotations

from toolgrammar.grammar import roles
from toolgrammar.grammar.terminals import Terminal
from toolgrammar.patterns import fences, marks
from toolgrammar.patterns.partial import partial

_EXPRESSIONS = {
    roles.COUNT_TERMINAL: "[0-9]+",
    roles.FENCE_TERMINAL: fences.OPENING,
    roles.MARK_TERMINAL: marks.OPENING,
}


def declared(name: str) -> Terminal | None:
    """Returns the terminal of this name, or None if no scanner reads one of this name."""
    expression = _EXPRESSIONS.get(name)
    if expression is not None:
        return Terminal(name, "regex", "", expression, partial(expression) or "")
    # The text that it repeats is known only while a message is read: it has no expression here.
    if name in roles.SAME_TERMINALS:
        return Terminal(name, "same", "", "", "")
    if name == roles.TOOL_TERMINAL:
        return Terminal(name, "tool", "", "", "")
    return Terminal(name, "payload", "", "", "") if name in roles.PAYLOAD_TERMINALS else None

"""Makes the terminals that a grammar only declares: what they are is known here."""

from __future__ import annotations

from toolgrammar.core import fences, marks, roles
from toolgrammar.core.partial import partial
from toolgrammar.core.tables import Terminal

_EXPRESSIONS = {
    roles.COUNT_TERMINAL: "[0-9]+",
    roles.FENCE_TERMINAL: fences.OPENING,
    roles.MARK_TERMINAL: marks.OPENING,
}


def declared(name: str) -> Terminal | None:
    """Gives the terminal of this name, or None where no scanner reads such a one."""
    expression = _EXPRESSIONS.get(name)
    if expression is not None:
        return Terminal(name, "regex", "", expression, partial(expression) or "")
    if name in roles.SAME_TERMINALS:
        return Terminal(name, "same", "", "", "")
    if name == roles.TOOL_TERMINAL:
        return Terminal(name, "tool", "", "", "")
    return Terminal(name, "payload", "", "", "") if name in roles.PAYLOAD_TERMINALS else None

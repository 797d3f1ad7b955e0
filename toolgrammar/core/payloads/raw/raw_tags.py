"""Says which tokens of a format are tags, and which so short that they say little.

Example: `</parameter>` is a tag, `}` and `):` are brackets.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgrammar.core.machine.expressions import sampled

if TYPE_CHECKING:
    from toolgrammar.grammar.terminals import Terminal

LONG = 5
"""Characters that a tag, or an outer closer, has at least."""


def is_tag(terminal: Terminal) -> bool:
    """Whether a terminal is a text of some length, in whatever case, and holds no name."""
    # A terminal with groups, as `<function=(?P<name>…)>`, is another text in each call.
    return len(sampled(terminal).strip()) > LONG and not terminal.groups


def is_bracket(terminal: Terminal) -> bool:
    """Whether a terminal is a text so short that a key makes most of what it opens."""
    return terminal.kind != "regex" and not is_tag(terminal)

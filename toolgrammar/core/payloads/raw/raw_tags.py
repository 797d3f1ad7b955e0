"""Distinguishes the tokens of a format that are tags from those too short to be distinctive.

Example: `</parameter>` is a tag, `}` and `):` are brackets.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgrammar.core.machine.expressions import sampled

if TYPE_CHECKING:
    from toolgrammar.grammar.terminals import Terminal

LONG = 5
"""The minimal length of an outer closer in characters; a tag is longer than this."""


def is_tag(terminal: Terminal) -> bool:
    """Whether a terminal is a text of some length, in any case, without a name in it."""
    # A terminal with groups, as `<function=(?P<name>…)>`, matches another text in each call.
    return len(sampled(terminal).strip()) > LONG and not terminal.groups


def is_bracket(terminal: Terminal) -> bool:
    """Whether a terminal is so short that a key is most of what it opens."""
    return terminal.kind != "regex" and not is_tag(terminal)

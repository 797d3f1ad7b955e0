"""Distinguishes the kinds of tokens around raw payloads: tags, brackets, words, ends of lines.

Example: `</parameter>` is a tag; `}` and `):` are brackets, too short to be distinctive.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgrammar.core.machine.expressions import sampled
from toolgrammar.patterns.beginnings import first_characters

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


def ends_line(terminal: Terminal) -> bool:
    """Whether a terminal is the end of a line, without markup."""
    text = sampled(terminal)
    return "\n" in text and not text.strip()


def begins_word(terminal: Terminal) -> bool:
    """Whether the text of a terminal begins with a letter, a digit or an underscore."""
    firsts = first_characters(terminal.pattern) if terminal.kind == "regex" else None
    # The key of `city: Oslo` is such a word; that of `<city>` follows a bracket.
    return bool(firsts) and all(each.isalnum() or each == "_" for each in firsts or ())

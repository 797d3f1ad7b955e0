"""Reads the next token of a node, and decides whether the stream reader may take it.

Example: `<tool_call>` is a token of the first node of its format, `<tool_` may still become one. The
token `", "arguments": ` opens, closes and fills nothing, so it is only passed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeAlias

from toolgrammar.core.driver.payload_end import ends_call
from toolgrammar.core.driver.reading_tokens import may_become_token
from toolgrammar.core.machine.caches import cached_on_argument
from toolgrammar.core.machine.machine import SHORT
from toolgrammar.core.machine.relaxed_quotes import loose_pattern, spellings_pattern
from toolgrammar.core.payloads.json.tokens import ChunkMemo
from toolgrammar.core.shortcuts.whole.shortcut_rules import needs_driver
from toolgrammar.values.patterns import blanks

if TYPE_CHECKING:
    import re

    from toolgrammar.core.machine.machine import Node, Step

_KEPT: Final = 256
"""The most short texts whose tokens a node caches."""

Found: TypeAlias = "tuple[Step | None, re.Match[str]] | None"
"""The step and the match of a token; no step, and any match, if it is not complete; None for other text."""


def read_token(node: Node, text: str, position: int, window: int) -> Found:
    """Reads the token of a node at an index; from `window` characters on, none waits for more."""
    # Near the end of the text a longer token may still come: `</tool` of `</tool_call>`.
    if len(text) - position <= window and may_become_token(node, text, position):
        return None, blanks.match(text, position)
    match = node.token.match(text, position)
    return None if match is None else (node.steps[match.lastgroup or ""], match)


@cached_on_argument
def tokens_of(node: Node) -> ChunkMemo[Found]:
    """Returns a cache: of short texts, the token behind the first character.

    Anchors and look-behinds need that character; grammars have no wider ones (`bounds`).
    """
    return ChunkMemo(lambda text: read_token(node, text, 1, SHORT), most=_KEPT, longest=SHORT + 1)


class TokenTraits:
    """Properties of a token in a node that decide how it is read."""

    def __init__(self, step: Step) -> None:
        terminal = step.terminal
        self.written = terminal.text.strip()
        """The literal without white space around it."""
        self.may_be_loose = loose_pattern(terminal) != "" or spellings_pattern(terminal) != ""
        """Whether the terminal is read in other ways than the grammar says, too."""
        self.ends_call = ends_call(step)
        """Whether a call ends with it, and text may follow."""
        self.may_begin_call = not step.role and not terminal.holds_name
        """Whether a call with a name is certain behind the token, if the token is distinctive."""
        self.is_for_shortcut = not (
            needs_driver(step) or (terminal.name == "JSON_STRING" and not step.role)
        )
        """Whether reading it needs no judgement, so that a sound stream can take it."""
        self.is_silent = (
            step.kind == "literal"
            and self.is_for_shortcut
            and not (
                step.closes_before or step.closes or step.opens or step.role or terminal.groups
            )
        )
        """Whether it is a literal that opens, closes and fills nothing."""


@cached_on_argument
def traits_of(step: Step) -> TokenTraits:
    """Returns the properties of a token that the stream reader needs."""
    return TokenTraits(step)

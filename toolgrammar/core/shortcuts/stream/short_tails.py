"""Reads the next token of a node where more text may come; short ends of a text are remembered.

Example: `<tool_call>` is a token of the first node of its format, `<tool_` may still become one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeAlias

from toolgrammar.core.machine.kept import kept
from toolgrammar.core.machine.machine import SHORT
from toolgrammar.core.payloads.json.chunk_memo import ChunkMemo

if TYPE_CHECKING:
    import re

    from toolgrammar.core.machine.machine import Node, Step

_KEPT: Final = 256
"""Ends that a node remembers."""

Found: TypeAlias = "tuple[Step | None, re.Match[str]] | None"
"""The token with what it matched; no step for what may still become one; None for no token."""


def read_token(node: Node, text: str, position: int, window: int) -> Found:
    """Reads the token of a node at an index; from `window` characters on, none waits for more."""
    # Near the end of the text a longer token may still come: `</tool` of `</tool_call>`.
    if len(text) - position <= window:
        begun = node.beginnings.match(text, position)
        if begun is not None:
            return None, begun
    match = node.token.match(text, position)
    return None if match is None else (node.steps[match.lastgroup or ""], match)


@kept
def tokens_of(node: Node) -> ChunkMemo[Found]:
    """Reads the token behind the first character of short texts.

    That character is for anchors and look-behinds: wider ones no grammar may have (`bounds`).
    """
    return ChunkMemo(lambda text: read_token(node, text, 1, SHORT), most=_KEPT, longest=SHORT + 1)

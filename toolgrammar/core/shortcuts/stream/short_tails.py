"""Matches the next token of a node while more text may come, with a cache for short texts.

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
"""The most texts that the cache of a node has."""

Found: TypeAlias = "tuple[Step | None, re.Match[str]] | None"
"""A token's step and match; None for the step of a beginning; None if nothing matches."""


def read_token(node: Node, text: str, position: int, window: int) -> Found:
    """Matches the token of a node at an index.

    Args:
        node: the node.
        text: the text so far.
        position: the index.
        window: with more characters than this after the index, no token waits for more text.
    """
    # Near the end of the text a longer token may still come: `</tool` may become `</tool_call>`.
    if len(text) - position <= window:
        begun = node.beginnings.match(text, position)
        if begun is not None:
            return None, begun
    match = node.token.match(text, position)
    return None if match is None else (node.steps[match.lastgroup or ""], match)


@kept
def tokens_of(node: Node) -> ChunkMemo[Found]:
    """Returns a cache of the tokens that stand after the first character of short texts.

    That character is for anchors and look-behinds; no grammar may have wider ones (`bounds`).
    """
    return ChunkMemo(lambda text: read_token(node, text, 1, SHORT), most=_KEPT, longest=SHORT + 1)

"""Reads the next token of a node, and remembers what the short ends of texts begin with."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeAlias

from toolgrammar.core.remembered import Remembered

if TYPE_CHECKING:
    import re

    from toolgrammar.core.machine import Node
    from toolgrammar.core.steps import Step

SHORT: Final = 64
"""Characters of an end of a text that may come again: markup, a name, a key."""
_KEPT: Final = 256
"""Ends that a node remembers."""

Found: TypeAlias = "tuple[Step | None, re.Match[str]] | None"
"""The token with what it matched; no step for what may still become one; None for no token."""


def read_token(node: Node, text: str, position: int, window: int) -> Found:
    """Reads the token of a node at an index; from `window` characters on, none waits for more."""
    if len(text) - position <= window:
        begun = node.beginnings.match(text, position)
        if begun is not None:
            return None, begun
    match = node.token.match(text, position)
    return None if match is None else (node.steps[match.lastgroup or ""], match)


def remembered_tokens(node: Node) -> Remembered[Found]:
    """Reads the token behind the first character of short texts.

    That character is for anchors and look-behinds: wider ones no grammar may have (`bounds`).
    """
    return Remembered(lambda text: read_token(node, text, 1, SHORT), most=_KEPT, longest=SHORT + 1)

"""Judges for the straight readings what is plain, where that takes more than a lane."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgrammar.core.trim import NONE, ONE_NEWLINE, RIGHT, STRIP

if TYPE_CHECKING:
    import re

    from toolgrammar.core.machine import Node


def goes_on(node: Node, text: str, position: int) -> bool:
    """Whether the open call goes on, at a node where text may follow it too."""
    match = node.token.match(text, position)
    group = match.lastgroup if match is not None else None
    return group is not None and "call" not in node.steps[group].before


def repeats_rightly(match: re.Match[str], name: str, key: str) -> bool:
    """Whether the closer of a raw payload that repeats a name or a key repeats the right one."""
    for group, value in match.groupdict().items():
        expected = name if "_SAME_NAME_" in group else key
        if value is not None and "_SAME_" in group and value != expected:
            return False
    return True


def trimmed(text: str, mode: str, *, before: bool) -> str | None:
    """Takes off what a trim mode takes off a whole payload; None where the trimmer must decide."""
    if mode == NONE:
        return text
    if mode == STRIP:
        return text.strip()
    if mode == RIGHT:
        return text.rstrip()
    if mode != ONE_NEWLINE or "\r" in text:
        return None
    if before and text.startswith("\n"):
        text = text[1:]
        if not text:
            return text
    return text.removesuffix("\n")

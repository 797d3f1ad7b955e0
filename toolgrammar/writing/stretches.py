"""Defines the stretches of a message, in order: text, reasoning, and groups of adjacent calls.

`Hi.`, two calls and `Bye.` are three stretches: a text, the calls, a text.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable

    from toolgrammar.values.calls import ToolCall

Kind: TypeAlias = Literal["text", "reasoning", "calls"]


@dataclass(frozen=True, slots=True)
class Stretch:
    """One stretch of a message."""

    kind: Kind
    """The kind of the stretch."""
    text: str = ""
    """The text or the reasoning; empty for calls."""
    calls: tuple[ToolCall, ...] = ()
    """The calls; () for text and reasoning."""


def said(message: Iterable[Stretch]) -> list[Stretch]:
    # White space between two calls is not text: the calls become neighbours, so it is joined again.
    """Returns a message without stretches of white space alone, and neighbours of a kind joined."""
    whole = _joined(message)
    return _joined(stretch for stretch in whole if stretch.calls or stretch.text.strip())


def _joined(message: Iterable[Stretch]) -> list[Stretch]:
    joined: list[Stretch] = []
    for stretch in message:
        if joined and joined[-1].kind == stretch.kind:
            last = joined.pop()
            text, calls = last.text + stretch.text, last.calls + stretch.calls
            joined.append(Stretch(last.kind, text, calls))
        else:
            joined.append(stretch)
    return joined

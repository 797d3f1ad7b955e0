"""Provides the interface of the older simple-agent project: a message and its raw tool calls."""

from __future__ import annotations

from dataclasses import dataclass, field

from toolgrammar.parsing.whole import parse

__all__ = ["ParsedMessage", "RawToolCall", "parse_tool_calls"]


@dataclass(frozen=True, slots=True)
class RawToolCall:
    """A call as the model wrote it."""

    name: str
    """The tool's name; it is not checked."""
    arguments: str = ""
    """All of the payload, unparsed: the rest of the first line and the lines that follow."""


@dataclass(frozen=True, slots=True)
class ParsedMessage:
    """A message and the calls that were in it."""

    message: str
    """The text outside of the calls."""
    tool_calls: list[RawToolCall] = field(default_factory=list)
    """The calls, in the order of the text."""


def parse_tool_calls(text: str | None) -> ParsedMessage:
    """Returns the message and the calls of a text in the line form; never raises on text.

    Without a call the message is the text unchanged. Text after a call is kept too, which the
    older project did not do.
    """
    if not text:
        return ParsedMessage("")
    result = parse(text, format="simple_agent")
    if not result.calls:
        return ParsedMessage(text)
    # Only its end is stripped in the older interface: what indents the message is part of it.
    indent = len(text) - len(text.lstrip())
    kept = text[:indent] if result.calls[0].span.start > indent else ""
    calls = [RawToolCall(call.name, call.input or "") for call in result.calls]
    return ParsedMessage(kept + result.text, calls)

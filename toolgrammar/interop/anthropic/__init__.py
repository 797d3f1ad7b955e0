"""Converts calls, messages and streams to and from the shapes of Anthropic's messages.

In: a message or its events. Out: `ToolCall`s and events; and the reverse. Begin with `shapes`;
`blocks` reads the blocks of a streamed message, `repair` mends broken calls.
"""

from toolgrammar.interop.anthropic.repair import repair_message, repair_stream
from toolgrammar.interop.anthropic.shapes import (
    from_stream,
    from_tool_calls,
    to_message,
    to_stream,
    to_tool_calls,
)

__all__ = [
    "from_stream",
    "from_tool_calls",
    "repair_message",
    "repair_stream",
    "to_message",
    "to_stream",
    "to_tool_calls",
]

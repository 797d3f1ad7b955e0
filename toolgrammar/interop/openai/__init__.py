"""Converts calls, messages and streams to and from the shapes of OpenAI's chat completions.

In: a completion or its chunks. Out: `ToolCall`s and events; and the reverse. Begin with `shapes`;
`repair` mends broken calls, `responses` reads the Responses API, `repaired_responses` repairs its
calls.
"""

from toolgrammar.interop.openai.repair import repair_message, repair_response, repair_stream
from toolgrammar.interop.openai.shapes import (
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
    "repair_response",
    "repair_stream",
    "to_message",
    "to_stream",
    "to_tool_calls",
]

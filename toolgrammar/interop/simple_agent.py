"""The interface of the older simple-agent project; it is in `older.simple_agent`."""

from toolgrammar.interop.older.simple_agent import ParsedMessage, RawToolCall, parse_tool_calls

__all__ = ["ParsedMessage", "RawToolCall", "parse_tool_calls"]

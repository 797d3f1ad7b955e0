"""The interface of the older Reploid parser; it is in `older.reploid`."""

from toolgrammar.interop.older.reploid import (
    ReploidCall,
    is_done,
    parse_tool_calls,
    validate_tool_call,
)

__all__ = ["ReploidCall", "is_done", "parse_tool_calls", "validate_tool_call"]

"""The interface of an older engine; it is in `older.agent_tools`."""

from toolgrammar.interop.older.agent_tools import Engine, Guard, Tool, ToolResult

__all__ = ["Engine", "Guard", "Tool", "ToolResult"]

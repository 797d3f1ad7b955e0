"""Converts tools of any shape to a `ToolSpec`, and bare text to the type of its schema.

In: functions, pydantic models, MCP tools, the dicts of chat APIs. Out: name, description and JSON
Schema. Begin with `specs`; `signatures` reads functions, `coerce` gives `"5"` its type.
"""

"""Converts tools of any shape to a `ToolSpec`, and bare text to the type of its schema.

In: functions, pydantic models, MCP tools, the dicts of chat APIs. Out: name, description and JSON
Schema, as a `ToolSpec`. Begin with `specs`; `signatures` reads functions, `coerce` turns the text
`"5"` into 5 if the schema wants an integer, `fits` checks values against a schema. Imports
`patterns` and `values`.
"""

"""Reads sound whole texts: one regular expression matches all tokens between two payloads.

In: a complete text, `<tool_call>{"name": "f", "arguments": {}}</tool_call>`. Out: its result, or
None if the driver has to read it. Begin with `sound_message.py`.
"""

"""Writes the instructions that teach a model a format: the list of its tools, and example calls.

Begin with `prompt`; `tool_lists` writes tools as JSON, TypeScript, Python, XML or words.
"""

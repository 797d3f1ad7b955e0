"""Writes the instructions that teach a model a format: the list of its tools, and example calls.

In: the template of a format's page, and tools. Out: the text of a system prompt. Begin with
`prompt`; `tool_lists` writes tools as JSON, TypeScript, Python, XML or words.
"""

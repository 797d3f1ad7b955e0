"""Converts calls to the shapes of other APIs and libraries, and back.

In: a message or stream of OpenAI, Anthropic, LangChain or MCP. Out: `ToolCall`s and events;
and the reverse. `openai`, `anthropic`, `langchain` and `mcp` are public; what they share is in
`exchange`. `prompted` writes conversations for models without tools. `agent_tools`, `reploid` and
`simple_agent` keep the interfaces of older projects.
"""

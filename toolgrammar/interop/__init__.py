"""Calls in the shapes of other interfaces, there and back.

In: a message or stream as OpenAI, Anthropic, LangChain or MCP write it. Out: `ToolCall`s and events;
and the way back. `openai`, `anthropic`, `langchain` and `mcp` are public; what they share is in
`exchange`. `prompted` writes conversations for models without tools. `agent_tools`, `reploid` and
`simple_agent` keep the interfaces of older projects.
"""

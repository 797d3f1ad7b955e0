"""Wraps models of agent libraries that write calls as text, so that their calls seem native.

In: a model of LangChain, pydantic-ai, the OpenAI Agents SDK, smolagents or DSPy. Out: a model of
the same library whose answers contain the calls. Begin with `text_calls.py`, which all share;
`langchain`, `langchain_middleware`, `pydantic_ai`, `openai_agents`, `smolagents` and `dspy` are
public, and each needs its library. It may import `interop` and everything below it.
"""

"""Models of agent libraries that write their calls as text, as if they called tools natively.

In: a model of LangChain, pydantic-ai, the OpenAI Agents SDK, smolagents or DSPy. Out: a model of the
same library whose answers hold the calls. Begin with `text_calls.py`, which all share; `langchain`,
`langchain_middleware`, `pydantic_ai`, `openai_agents`, `smolagents` and `dspy` are public, and each
needs its library. It imports interop and what lies below.
"""

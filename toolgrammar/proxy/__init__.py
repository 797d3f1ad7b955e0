"""Stands before a server that speaks OpenAI's API and turns the calls in its text into tool calls.

In: a request, and the answer to it, whole or as a stream. Out: the request as the server can read it,
and the answer with `tool_calls`. `rewrite_request`, `rewrite_response` and `rewrite_stream` are the
core, without HTTP, for any gateway; `app.py` is a proxy made of them and `litellm.py` a callback for
LiteLLM. Begin with `answer.py`, which reads one answer. It may import `interop` and what lies below.
"""

from toolgrammar.proxy.prompted import rewrite_request
from toolgrammar.proxy.response import rewrite_response
from toolgrammar.proxy.stream import StreamRewriter, rewrite_stream

__all__ = ["StreamRewriter", "rewrite_request", "rewrite_response", "rewrite_stream"]

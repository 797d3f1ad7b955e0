"""Rewrites the answers of a server with OpenAI's API: calls in their text become tool calls.

In: a request, and the answer to it, whole or streamed. Out: the request in a form that the server
supports, and the answer with `tool_calls`. `rewrite_request`, `rewrite_response` and
`rewrite_stream` need no HTTP and fit any gateway; `app.py` builds a proxy from them and
`litellm.py` a callback for LiteLLM. Begin with `answer.py`, which reads one answer. It may import
`interop` and everything below it.
"""

from toolgrammar.proxy.prompted import rewrite_request
from toolgrammar.proxy.response import rewrite_response
from toolgrammar.proxy.stream import StreamRewriter, rewrite_stream

__all__ = ["StreamRewriter", "rewrite_request", "rewrite_response", "rewrite_stream"]

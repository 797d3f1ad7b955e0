"""Plugs the formats into vLLM and SGLang: one flag makes the server read calls with toolgrammar.

In: the text of a message as it comes, and the tools of the request. Out: content, calls and
reasoning in the server's own classes. Begin with `message_reader.py`, which decides what a client
gets; `reasoning_split.py` parts reasoning from the rest. The modules `vllm_*` and `sglang_*` wrap the
two in the classes of a server, which imports them by the entry points in `pyproject.toml`: nothing
else does. May import the public parser, `salvage` and what lies below them.
"""

"""Adds the formats to vLLM and SGLang: one flag makes the server read calls with toolgrammar.

In: the text of a message as it arrives, and the tools of the request. Out: content, calls and
reasoning in the server's own classes. Begin with `message_reader.py`, which decides what a client
receives; `reasoning_split.py` separates reasoning from the rest. The modules `vllm_*` and
`sglang_*` wrap the two in the classes of a server, which alone imports them, by the entry points in
`pyproject.toml`. May import `interop` and everything below it.
"""

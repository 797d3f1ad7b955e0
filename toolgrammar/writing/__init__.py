"""Writes calls, results and prompts in the wire text of a format: the inverse of parsing.

In: calls, `[ToolCall("search", {"q": "fjord"})]`. Out: the text that a model would have written. Whatever is
written is read back at once (`read_back`), and refused if it is not read back equal.

Begin with `render`; `grammar_walk` walks the rules, `results` and `prompts` write the rest of a
conversation (`conversation`). Imports `core`, `tools` and `values`.
"""

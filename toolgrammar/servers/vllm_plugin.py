"""Registers the parsers for vLLM, as its entry point.

Example: after it has run, the flag `--tool-call-parser toolgrammar_hermes` is available. The
classes are imported when vLLM asks for one.
"""

from __future__ import annotations

from typing import Final

from toolgrammar.servers.own_formats import register_own_formats
from toolgrammar.servers.parser_names import reasoning_parser_names, tool_parser_names

TOOLS: Final = "toolgrammar.servers.vllm_tools"
REASONING: Final = "toolgrammar.servers.vllm_reasoning"


def register() -> None:
    """Registers all parsers; vLLM calls it in each of its processes, perhaps twice."""
    from vllm.reasoning import ReasoningParserManager
    from vllm.tool_parsers import ToolParserManager

    register_own_formats()
    # vLLM imports the module and reads the attribute of that name: a class made on demand.
    for name in tool_parser_names():
        ToolParserManager.register_lazy_module(name, TOOLS, name)
    for name in reasoning_parser_names():
        ReasoningParserManager.register_lazy_module(name, REASONING, name)

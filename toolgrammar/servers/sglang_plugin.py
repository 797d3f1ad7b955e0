"""The entry point of SGLang: adds the detectors to those that its flags name.

`--tool-call-parser toolgrammar_hermes` is there when this has run, and so is
`--reasoning-parser toolgrammar_hermes`.
"""

from __future__ import annotations

from toolgrammar.servers.own_formats import register_own_formats
from toolgrammar.servers.parser_names import reasoning_parser_names, tool_parser_names


def register() -> None:
    """Registers all detectors; SGLang calls it in each of its processes."""
    # SGLang wants classes: importing its own modules makes its flags ask them for their names.
    from sglang.srt.function_call.function_call_parser import FunctionCallParser
    from sglang.srt.parser.reasoning_parser import ReasoningParser

    from toolgrammar.servers import sglang_reasoning, sglang_tools

    register_own_formats()
    for name in tool_parser_names():
        FunctionCallParser.ToolCallParserEnum[name] = sglang_tools.class_of(name)
    for name in reasoning_parser_names():
        ReasoningParser.DetectorMap[name] = sglang_reasoning.class_of(name)

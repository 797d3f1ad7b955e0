"""Registers the detectors for SGLang, as its entry point.

Example: after it has run, the flags `--tool-call-parser toolgrammar_hermes` and
`--reasoning-parser toolgrammar_hermes` are available.
"""

from __future__ import annotations

from toolgrammar.servers.own_formats import register_own_formats
from toolgrammar.servers.parser_names import (
    parser_class,
    reasoning_parser_names,
    tool_parser_names,
)


def register() -> None:
    """Registers all detectors; SGLang calls it in each of its processes."""
    # SGLang needs classes: its own modules ask them for their names on import, for its flags.
    from sglang.srt.function_call.function_call_parser import FunctionCallParser
    from sglang.srt.parser.reasoning_parser import ReasoningParser

    from toolgrammar.servers.sglang_reasoning import ToolgrammarReasoningDetector
    from toolgrammar.servers.sglang_tools import ToolgrammarDetector

    register_own_formats()
    for name in tool_parser_names():
        FunctionCallParser.ToolCallParserEnum[name] = parser_class(ToolgrammarDetector, name)
    for name in reasoning_parser_names():
        ReasoningParser.DetectorMap[name] = parser_class(ToolgrammarReasoningDetector, name)

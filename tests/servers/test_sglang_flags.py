"""SGLang lists the parsers under its flags: its own loading of plugins, and its own choices."""

import argparse
import logging

import pytest

from toolgrammar.servers.parser_names import reasoning_parser_names, tool_parser_names

pytest.importorskip("sglang.srt.plugins", reason="SGLang is not there; `make servers` unpacks it")

from sglang.srt.function_call.base_format_detector import BaseFormatDetector
from sglang.srt.function_call.function_call_parser import FunctionCallParser
from sglang.srt.parser.reasoning_parser import BaseReasoningFormatDetector, ReasoningParser
from sglang.srt.plugins import load_plugins

load_plugins()


def test_every_format_is_a_choice_of_the_flags() -> None:
    from sglang.srt import server_args

    assert {*tool_parser_names()} <= {*server_args._tool_call_parser_choices()}
    assert {*reasoning_parser_names()} <= {*server_args._reasoning_parser_choices()}


def test_the_command_line_takes_them() -> None:
    from sglang.srt.server_args import ServerArgs

    parser = argparse.ArgumentParser()
    ServerArgs.add_cli_args(parser)
    words = ["--model-path", "m", "--tool-call-parser", "toolgrammar_hermes"]
    chosen = parser.parse_args([*words, "--reasoning-parser", "toolgrammar_qwen3_xml"])
    assert chosen.tool_call_parser == "toolgrammar_hermes"
    assert chosen.reasoning_parser == "toolgrammar_qwen3_xml"


def test_each_name_is_a_class_of_its_own() -> None:
    tools = [FunctionCallParser.ToolCallParserEnum[name] for name in tool_parser_names()]
    reasoning = [ReasoningParser.DetectorMap[name] for name in reasoning_parser_names()]
    assert len({*tools}) == len(tools)
    assert len({*reasoning}) == len(reasoning)
    assert all(issubclass(each, BaseFormatDetector) for each in tools)
    assert all(issubclass(each, BaseReasoningFormatDetector) for each in reasoning)


def test_the_plugin_loads_without_a_complaint(caplog: pytest.LogCaptureFixture) -> None:
    from sglang.srt import plugins

    plugins._plugins_loaded = False
    with caplog.at_level(logging.INFO):
        load_plugins()
    assert "Executed general plugin: toolgrammar" in caplog.text
    assert "Failed" not in caplog.text

"""vLLM lists the parsers under its flags: its own loading of plugins, and its own look-ups."""

import argparse
import subprocess
import sys
from types import SimpleNamespace

import pytest

import toolgrammar
from toolgrammar.servers.parser_names import reasoning_parser_names, tool_parser_names

pytest.importorskip("vllm", reason="vLLM is not there; `make servers` unpacks it")

from vllm.entrypoints.common.cli_args import validate_api_server_args
from vllm.plugins import load_general_plugins
from vllm.reasoning import ReasoningParser, ReasoningParserManager
from vllm.tool_parsers import ToolParser, ToolParserManager

load_general_plugins()


def test_every_format_is_listed() -> None:
    assert {*tool_parser_names()} <= {*ToolParserManager.list_registered()}
    assert {*reasoning_parser_names()} <= {*ReasoningParserManager.list_registered()}
    assert len(tool_parser_names()) == len(toolgrammar.formats) + 1


def test_the_server_accepts_the_flags() -> None:
    flags = argparse.Namespace(
        enable_auto_tool_choice=True,
        tool_call_parser="toolgrammar_hermes",
        structured_outputs_config=SimpleNamespace(reasoning_parser="toolgrammar_hermes"),
    )
    validate_api_server_args(flags)
    flags.tool_call_parser = "toolgrammar_harmes"
    with pytest.raises(KeyError, match="invalid tool call parser"):
        validate_api_server_args(flags)


def test_each_name_gives_a_class_of_its_own() -> None:
    tools = {name: ToolParserManager.get_tool_parser(name) for name in tool_parser_names()}
    assert len({*tools.values()}) == len(tools)
    assert all(issubclass(each, ToolParser) for each in tools.values())
    assert tools["toolgrammar_hermes"].format_id == "hermes"
    assert tools["toolgrammar"].format_id == "auto"
    for name in reasoning_parser_names():
        assert issubclass(ReasoningParserManager.get_reasoning_parser(name), ReasoningParser)


def test_loading_the_plugin_reads_no_tables() -> None:
    code = """
import sys
sys.path.insert(0, "benchmarks")
from peers import absent
absent.enter()
from vllm.plugins import load_general_plugins
load_general_plugins()
from vllm.tool_parsers import ToolParserManager
assert "toolgrammar_hermes" in ToolParserManager.list_registered()
import toolgrammar
assert not any(fmt._tables for fmt in toolgrammar.formats.values())
assert "toolgrammar.servers.vllm_tools" not in sys.modules
assert "toolgrammar.core.driver.modes" not in sys.modules
"""
    root = toolgrammar.formats["hermes"].path.parents[1]
    subprocess.run([sys.executable, "-c", code], check=True, cwd=root)

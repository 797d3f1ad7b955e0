import subprocess
import sys

from toolgrammar import formats
from toolgrammar.servers.parser_names import format_of, reasoning_parser_names, tool_parser_names


def test_each_format_has_a_tool_parser_and_all_together_have_one() -> None:
    assert [format_of(name) for name in tool_parser_names()] == ["auto", *formats]


def test_reasoning_parsers_are_those_of_formats_with_the_role() -> None:
    # The names are found in the texts of the grammars, and the tables know for sure.
    marking = [
        fmt.id
        for fmt in formats.values()
        if any(production.role == "reasoning" for production in fmt.tables.productions)
    ]
    assert [format_of(name) for name in reasoning_parser_names()] == marking


def test_the_names_cost_no_tables_and_no_parser() -> None:
    code = """
import sys
from toolgrammar import formats
from toolgrammar.servers.parser_names import reasoning_parser_names, tool_parser_names
assert reasoning_parser_names() and tool_parser_names()
assert not any(fmt._tables for fmt in formats.values())
assert not {"lark", "toolgrammar.core.driver.modes"} & sys.modules.keys()
"""
    subprocess.run([sys.executable, "-c", code], check=True)

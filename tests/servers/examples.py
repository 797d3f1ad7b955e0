"""Examples of the formats' pages, as messages of a request with their tools."""

import toolgrammar
from toolgrammar import ParseResult, ToolCall
from toolgrammar.catalogue.page import read_page
from toolgrammar.testing import Case, cases_of_page

LONGEST = 400
"""Characters of an example that is cut at every place."""

SEVERAL = (
    "hermes",
    "qwen3_xml",
    "kimi_k2",
    "deepseek_v3_1",
    "glm47",
    "gemma4",
    "minimax_m2",
    "mistral_v11",
    "llama3_json",
    "lfm2",
    "cohere_command4",
    "react",
)
"""Formats of each family: the others are alike for a server."""


def cases_with_tools(format_id: str) -> list[Case]:
    """Returns the examples that a server can be given: with tools, and from the beginning."""
    page = read_page(toolgrammar.formats[format_id].page_path)
    cases = cases_of_page(page, toolgrammar.formats[format_id])
    return [case for case in cases if case.tools and not case.prefix]


def read(case: Case) -> ParseResult:
    """Returns what the parser reads in an example."""
    return toolgrammar.parse(case.text, case.format, tools=case.tools)


def is_given(call: ToolCall, case: Case) -> bool:
    """Returns whether a client should get a call."""
    known = {tool.name for tool in case.tools or ()}
    has_arguments = bool(call.arguments) or not call.input
    return call.executable and call.name in known and has_arguments


def is_sound(case: Case) -> bool:
    """Returns whether a client should get all calls of an example."""
    return all(is_given(call, case) for call in read(case).calls)

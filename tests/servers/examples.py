"""Examples of the formats' pages, as messages of a request with their tools."""

from dataclasses import dataclass, field
from typing import Any

import toolgrammar
from toolgrammar import ParseResult, ToolCall
from toolgrammar.catalogue.page import read_page
from toolgrammar.servers.parser_names import format_of, reasoning_parser_names
from toolgrammar.testing import Case, cases_of_page
from toolgrammar.tools.specs import to_specs
from toolgrammar.values.tools import ToolSpec

SEARCH = {
    "name": "search",
    "parameters": {"type": "object", "properties": {"q": {"type": "string"}}},
}
TOOLS = tuple(to_specs([SEARCH]).values())
CALL = '<tool_call>\n{"name": "search", "arguments": {"q": "tea"}}\n</tool_call>'
CUT = '<tool_call>\n{"name": "search", "arguments": {"q": "te'

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

HERMES = "toolgrammar_hermes"
GIVEN = [("search", '{"q": "tea"}')]
BOTH = [each for each in SEVERAL if each in map(format_of, reasoning_parser_names())]
"""Those of them that mark reasoning."""


@dataclass
class Message:
    """An answer as a client puts it together from what a server gives."""

    reasoning: str = ""
    content: str = ""
    calls: list[tuple[str, str]] = field(default_factory=list)

    @property
    def said(self) -> tuple[str, str, list[tuple[str, str]]]:
        """The reasoning, the text and the calls: what is the same in every cutting."""
        return self.reasoning, self.content, self.calls


def cuttings(text: str, step: int = 1) -> list[list[str]]:
    """Returns a text cut at every place or every few, and character by character."""
    halves = [[text[:at], text[at:]] for at in range(1, len(text), step)]
    return [[text], list(text), *halves]


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


def dict_of(tool: ToolSpec) -> dict[str, Any]:
    """Returns a tool in the shape of OpenAI's API."""
    function = {"name": tool.name, "description": tool.description, "parameters": tool.parameters}
    return {"type": "function", "function": function}

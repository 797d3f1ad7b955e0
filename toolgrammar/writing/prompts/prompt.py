"""Fills the template of a prompt that teaches a model a format: a page's own, or a generic one."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final, Self

from toolgrammar.values.errors import RenderError
from toolgrammar.values.patterns import compile_pattern
from toolgrammar.writing.prompts.examples import example_call
from toolgrammar.writing.prompts.foreign_texts import ForeignTexts
from toolgrammar.writing.prompts.tool_lists import (
    JSON_WRITERS,
    WRITERS,
    as_functions,
    as_json_lines,
    in_words,
)
from toolgrammar.writing.render import render

if TYPE_CHECKING:
    from collections.abc import Sequence

    from toolgrammar.values.calls import ToolCall
    from toolgrammar.values.tools import ToolSpec
    from toolgrammar.writing.read_back import Writable

# The placeholders of a line that is written once for each tool.
_OF_ONE: Final = {"tool_json": as_json_lines, "tool_function": as_functions}
PLACEHOLDERS: Final = (
    *WRITERS,
    *_OF_ONE,
    "tools_usage",
    "example",
    "examples",
    "examples_numbered",
)
"""The names in braces that are filled in."""

# Braces of JSON in a prompt are no placeholders: only these words are.
_PLACEHOLDER: Final = compile_pattern(r"\{(tools?_\w+|examples?(?:_\w+)?)\}")

_OPENING: Final = "You can call tools. These are there:\n\n{tools}\n\n"
_HOW: Final = "To call a tool, write the call exactly in this form:\n\n{example}\n"
_SEVERAL: Final = "\nSeveral calls in one message look like this:\n\n{examples}\n"
_CLOSING: Final = (
    "\nUse only the tools above and the names of arguments that they have. "
    "Everything outside of calls is text for the user.\n"
)
_LIST_OF_PAYLOAD: Final = {"JSON": "tools_json_lines", "Python": "tools_python"}


class Prompt(str):
    """Instructions for a model, and the strings at which its server should stop."""

    __slots__ = ("stop",)

    stop: tuple[str, ...]
    """The strings at which the server should stop."""

    def __new__(cls, text: str, stop: tuple[str, ...] = ()) -> Self:
        """Makes the prompt of a text."""
        prompt = super().__new__(cls, text)
        prompt.stop = stop
        return prompt


def unknown_placeholders(template: str) -> list[str]:
    # A name that looks like a placeholder (`{tools_jsn}`) would otherwise be shown to the model.
    """Lists the names in braces that are not placeholders of a prompt."""
    found = (match[1] for match in _PLACEHOLDER.finditer(template))
    return [name for name in found if name not in PLACEHOLDERS]


def fill_prompt(
    fmt: Writable, template: str, tools: Sequence[ToolSpec], fallback: Sequence[ToolCall] = ()
) -> Prompt:
    """Returns a prompt with the tools and the example calls put in.

    Args:
        fmt: the format.
        template: the text, with placeholders in braces.
        tools: the tools of the model.
        fallback: the calls to show if the format can't express a call of any of the tools.
    """
    foreign = ForeignTexts(fmt.header)
    broken = [foreign.broken(tool) for tool in tools]

    def text(name: str, tool: ToolSpec | None) -> str:
        # JSON has an escape for any character, so that no text has to be broken.
        if tool is not None and name in _OF_ONE:
            return foreign.escaped(_OF_ONE[name]([tool]))
        if name in JSON_WRITERS:
            return foreign.escaped(WRITERS[name](tools))
        if name in WRITERS:
            return WRITERS[name](broken)
        if name == "tools_usage":
            return "\n\n".join(_usage(fmt, each) for each in broken)
        return _examples(fmt, broken, fallback, name)

    def filled(line: str, tool: ToolSpec | None = None) -> str:
        return _PLACEHOLDER.sub(lambda match: text(match[1], tool), line)

    lines: list[str] = []
    for line in template.split("\n"):
        # Decided for the line as a whole: other placeholders in it are filled in each copy.
        of_one = any(match[1] in _OF_ONE for match in _PLACEHOLDER.finditer(line))
        # A line that speaks of one tool is written once for each.
        lines += [filled(line, tool) for tool in tools] if of_one else [filled(line)]
    return Prompt("\n".join(lines), fmt.header.stop)


def generic_template(payload: Sequence[str], *, parallel: bool) -> str:
    """Returns the template for formats that have none of their own.

    Args:
        payload: how arguments are written, the plainest way first.
        parallel: whether a message can hold several calls.
    """
    # A format of JSON shows JSON, one of Python calls shows functions: one notation for the model.
    tools = _LIST_OF_PAYLOAD.get(payload[0] if payload else "", "tools_words")
    several = _SEVERAL if parallel else "\nWrite one call a message.\n"
    return _OPENING.replace("{tools}", f"{{{tools}}}") + _HOW + several + _CLOSING


def _usage(fmt: Writable, tool: ToolSpec) -> str:
    """Returns the description of a tool with an example call."""
    written = _written(fmt, [example_call(tool)])
    return in_words(tool) + (f"\nUsage:\n{written}" if written else "")


def _examples(
    fmt: Writable, tools: Sequence[ToolSpec], fallback: Sequence[ToolCall], name: str
) -> str:
    """Returns example calls: of the first tools that the format can carry calls of."""
    calls = [example_call(tool) for tool in tools]
    # Not every tool can be shown: raw text cannot carry every value of a schema.
    sound = [call for call in calls if _written(fmt, [call])] or list(fallback)
    if not sound or name == "example":
        return _written(fmt, sound[:1]) or ""
    # One sound tool is shown twice, since the point is how calls follow each other.
    shown = (sound * 2)[:2]
    if name == "examples_numbered":
        shown = [replace(call, id=str(number)) for number, call in enumerate(shown)]
    # If the format can't express two calls in a message, one is shown.
    return _written(fmt, shown) or _written(fmt, shown[:1]) or ""


def _written(fmt: Writable, calls: Sequence[ToolCall]) -> str | None:
    try:
        return render(fmt, calls)
    except RenderError:
        return None
